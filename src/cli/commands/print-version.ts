import { ConvoyError } from '../../core/errors/index.ts';

/** The version as one line, or as `{"version": …}` in JSON or YAML. Throws OutputInvalid for another format. */
export async function printVersion(version: string, output?: string): Promise<string> {
  switch (output) {
    case undefined:
      return `convoy ${version}\n`;
    case 'json':
      return `${JSON.stringify({ version }, null, 2)}\n`;
    case 'yaml':
      return (await import('../printers/yaml.ts')).printYaml({ version });
    default:
      throw new ConvoyError('OutputInvalid', { value: output, formats: 'json, yaml' });
  }
}
