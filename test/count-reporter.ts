import type { Reporter, TestModule } from 'vitest/node';

/** Says which tests were not run and why, and ends a run with the line `N passed, N failed` that CI adds up. A file that does not load counts as one failure. */
export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      let failedHere = 0;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') passed += 1;
        else if (result.state === 'failed') failedHere += 1;
        else if (result.state === 'skipped') {
          console.log(`not run: ${test.fullName}${result.note === undefined ? '' : ` (${result.note})`}`);
        }
      }
      if (failedHere === 0 && module.state() === 'failed') failedHere = 1;
      failed += failedHere;
    }
    console.log(`${passed} passed, ${failed} failed`);
  }
}
