import { harmlessJson } from '../../core/errors/index.ts';
import { assertNever } from '../../core/object/assert-never.ts';
import { splitApiVersion } from '../../core/object/fields.ts';
import type { OutputFormat } from '../options/output.ts';
import type { HealthReport } from '../report.ts';
import { printTable } from './table.ts';

function printNames({ items }: HealthReport): string {
  const lines = items
    .filter(({ state }) => state !== 'Healthy')
    .map(({ apiVersion, kind, name }) => {
      const { group } = splitApiVersion(apiVersion);
      return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`.replace(/\p{C}/gu, '?');
    });
  return lines.map((line) => `${line}\n`).join('');
}

/** The report as text; printers other than the table and JSON load when they are asked for. */
export async function printReport(report: HealthReport, format: OutputFormat, colour: boolean): Promise<string> {
  switch (format.kind) {
    case 'table':
    case 'wide':
      return printTable(report, { wide: format.kind === 'wide', colour });
    case 'json':
      return `${harmlessJson(JSON.stringify(report, null, 2))}\n`;
    case 'yaml':
      return (await import('./yaml.ts')).printYaml(report);
    case 'junit':
      return (await import('./junit.ts')).printJunit(report);
    case 'name':
      return printNames(report);
    case 'jsonpath':
      return (await import('./jsonpath.ts')).printJsonPath(report, format.template);
    default:
      return assertNever(format);
  }
}
