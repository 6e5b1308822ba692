import type { HealthItem, HealthReport } from '../report.ts';

/** Text that XML 1.0 can hold: other characters cannot be written in it, not even escaped. */
export function xml(text: string): string {
  return (
    text
      .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '?')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // The first and the last are for XML, the others so that no terminal that shows it is steered.
      .replace(/[\t\n\r\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (character) => `&#${character.charCodeAt(0)};`)
  );
}

function outcome({ state, reason, message, rule, cause }: HealthItem): string {
  if (state === 'Healthy') return '/>';
  const element = state === 'Unknown' ? 'error' : 'failure';
  const details = [message, cause && `cause: ${cause}`, rule && `rule: ${rule}`].filter(Boolean).join('\n');
  const type = `type="${state}.${reason}"`;
  return `>\n    <${element} ${type} message="${xml(message)}">${xml(details)}</${element}>\n  </testcase>`;
}

/** The report as JUnit XML: an object is a test case, Unknown is an error, the other states that are not Healthy a failure. */
export function printJunit({ summary, items }: HealthReport): string {
  const { total, progressing, degraded, unknown } = summary;
  const cases = items.map((item) => {
    const name = item.namespace === '' ? item.name : `${item.namespace}/${item.name}`;
    return `  <testcase classname="${xml(`${item.apiVersion}.${item.kind}`)}" name="${xml(name)}"${outcome(item)}`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="convoy health" tests="${total}" failures="${progressing + degraded}" errors="${unknown}">`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n');
}
