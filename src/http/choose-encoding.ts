/** Reads `Accept-Encoding` (RFC 9110, section 12.5.3). */

type Weights = ReadonlyMap<string, number>;

/** The quality that a client gives by default. */
const FULL_QUALITY = 1;

const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** An old name of gzip, which RFC 9110 says to treat as the same. */
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' };

/** A quality that cannot be read refuses its encoding, because every client reads plain content. */
const readQuality = (parameters: readonly string[]): number => {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  return given === undefined ? FULL_QUALITY : Number(QUALITY.exec(given)?.[1] ?? 0);
};

const readWeights = (header: string): Weights =>
  new Map(
    header
      .toLowerCase()
      .split(',')
      .map((range) => {
        const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
        return [ALIASES[name] ?? name, readQuality(parameters)];
      }),
  );

/**
 * Chooses the encoding that the client likes best, and among equals the first that is offered. Answers undefined where
 * plain content is all that it accepts, or what it likes better.
 */
export const chooseEncoding = <T extends string>(header: string | undefined, offered: Iterable<T>): T | undefined => {
  if (header === undefined) return undefined;
  const weights = readWeights(header);
  const others = weights.get('*') ?? 0;
  let chosen: T | undefined;
  let best = weights.get('identity') ?? 0;
  for (const encoding of offered) {
    const weight = weights.get(encoding) ?? others;
    // At the same quality, an encoding is better than none, and an earlier one better than a later one.
    if (weight > best || (weight === best && weight > 0 && chosen === undefined)) {
      chosen = encoding;
      best = weight;
    }
  }
  return chosen;
};
