import { StartupError } from './errors.ts';

/** Reads single variables of the environment. A value that is not understood stops the process. */

export type ConfigEnvironment = Readonly<Record<string, string | undefined>>;

export const fail = (name: string, value: string, expected: string): never => {
  throw new StartupError(`${name} is "${value}", expected ${expected}`);
};

/** Reads a variable. An empty one counts as unset, because compose files produce empty variables. */
export const readText = (env: ConfigEnvironment, name: string): string | undefined => {
  const value = env[name]?.trim();
  return value === undefined || value === '' ? undefined : value;
};

export const integer = (env: ConfigEnvironment, name: string, fallback: number, min: number, max: number): number => {
  const value = readText(env, name);
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < min || number > max) fail(name, value, `a whole number from ${min} to ${max}`);
  return number;
};

export const flag = (env: ConfigEnvironment, name: string, fallback: boolean): boolean => {
  const value = readText(env, name)?.toLowerCase();
  if (value === undefined) return fallback;
  if (value !== 'true' && value !== 'false') fail(name, value, 'true or false');
  return value === 'true';
};

/** Reads one of some words in lower case, however it is written. */
export const choice = <T extends string>(
  env: ConfigEnvironment,
  name: string,
  allowed: readonly T[],
  fallback: T,
): T => {
  const value = readText(env, name);
  if (value === undefined) return fallback;
  return allowed.find((option) => option === value.toLowerCase()) ?? fail(name, value, `one of ${allowed.join(', ')}`);
};

/** Reads an address as it is written. */
export const exactUrl = (env: ConfigEnvironment, name: string, protocols: readonly string[]): string | undefined => {
  const value = readText(env, name);
  if (value === undefined) return undefined;
  const expected = `an address starting with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`;
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol.slice(0, -1))) fail(name, value, expected);
  return value;
};

/** Reads an address to which paths are appended. */
export const url = (env: ConfigEnvironment, name: string, protocols: readonly string[]): string | undefined =>
  exactUrl(env, name, protocols)?.replace(/\/+$/, '');

export const list = (env: ConfigEnvironment, name: string): readonly string[] =>
  (readText(env, name) ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
