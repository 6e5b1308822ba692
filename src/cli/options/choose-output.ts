import { ConvoyError } from '../../core/errors/index.ts';

/** The value of `-o`, if it is one of those a command has. Throws OutputInvalid. */
export function chooseOutput<Format extends string>(value: string, formats: readonly Format[]): Format {
  const format = formats.find((one) => one === value);
  if (format !== undefined) return format;
  throw new ConvoyError('OutputInvalid', { value, formats: formats.join(', ') });
}
