/**
 * Counts the characters that methods of strings and patterns look at or copy. How the count grows with a text shows how
 * the work grows, which time shows only on a quiet machine.
 */

const { charCodeAt, includes, indexOf, slice, startsWith } = String.prototype;
const { exec } = RegExp.prototype;

/** How far a search went that began at a place. */
const searched = (text: string, found: number, from: number): number => (found < 0 ? text.length : found) - from;

type CountOptions = {
  /** How many characters a sticky pattern can look at from a place; nothing else knows. */
  readonly reach?: (text: string, from: number) => number;
};

/** The methods that count, in place of the built-in ones. */
const countingMethods = (add: (characters: number) => void, reach: (text: string, from: number) => number) => ({
  strings: {
    charCodeAt(this: string, at: number): number {
      add(1);
      return charCodeAt.call(this, at);
    },
    includes(this: string, part: string, from = 0): boolean {
      add(searched(this, indexOf.call(this, part, from), from));
      return includes.call(this, part, from);
    },
    indexOf(this: string, part: string, from = 0): number {
      const found = indexOf.call(this, part, from);
      add(searched(this, found, from));
      return found;
    },
    slice(this: string, start?: number, end?: number): string {
      const part = slice.call(this, start, end);
      add(part.length);
      return part;
    },
    startsWith(this: string, part: string, from?: number): boolean {
      add(part.length);
      return startsWith.call(this, part, from);
    },
  },
  patterns: {
    exec(this: RegExp, text: string): RegExpExecArray | null {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const found = exec.call(this, text);
      add(this.sticky ? reach(text, from) : searched(text, found?.index ?? -1, from) + (found?.[0].length ?? 0));
      return found;
    },
  },
});

/** Puts methods into a built-in object, and answers how to take them out again. */
const replaceMethods = (owner: object, methods: object): (() => void) => {
  const names = Object.keys(methods);
  const originals = Object.getOwnPropertyDescriptors(owner) as Record<string, PropertyDescriptor>;
  const define = (descriptorOf: (name: string) => PropertyDescriptor) => {
    for (const name of names) Object.defineProperty(owner, name, descriptorOf(name));
  };
  const values = Object.getOwnPropertyDescriptors(methods) as Record<string, PropertyDescriptor>;
  define((name) => ({ ...originals[name], value: values[name]?.value }));
  return () => define((name) => originals[name] ?? {});
};

/**
 * Runs some work and counts meanwhile. The work must not wait for anything but promises that are settled at once, so that
 * nothing else runs in between. It is given the count so far.
 */
export const countTextWork = async (
  work: (countSoFar: () => number) => Promise<unknown> | unknown,
  { reach = (text, from) => text.length - from }: CountOptions = {},
): Promise<number> => {
  let count = 0;
  const { strings, patterns } = countingMethods((characters) => {
    count += characters;
  }, reach);
  const restore = [replaceMethods(String.prototype, strings), replaceMethods(RegExp.prototype, patterns)];
  try {
    await work(() => count);
    return count;
  } finally {
    for (const each of restore) each();
  }
};
