import type { Call } from './route.ts';

/** How much of what it wrote a request wants back (RFC 7240): as little as possible, or all of it. */
export type ReturnPreference = 'minimal' | 'representation';

const RETURN = /^return\s*=\s*"?(minimal|representation)"?$/;

/** Reads `return=…` of the header `Prefer`. As the header demands, the first one counts and unknown ones are ignored. */
export const readReturnPreference = (call: Call): ReturnPreference | undefined => {
  const preferences = (call.header('prefer') ?? '').toLowerCase().split(/[,;]/);
  const [first] = preferences.flatMap((one) => RETURN.exec(one.trim())?.[1] ?? []);
  return first as ReturnPreference | undefined;
};

/** Tells the caller that its preference was heeded. */
export const preferenceApplied = (preference: ReturnPreference | undefined): Readonly<Record<string, string>> =>
  preference === undefined ? {} : { 'Preference-Applied': `return=${preference}` };
