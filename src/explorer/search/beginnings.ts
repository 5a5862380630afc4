import { plainWords } from './choice.ts';

const SHORTEST = 3;

/** Ever shorter beginnings of the longest word of a query. */
export const beginningsOf = (text: string): readonly string[] => {
  const longest = plainWords(text)
    .split(' ')
    .reduce((one, other) => (other.length > one.length ? other : one), '');
  const lengths = [0.75, 0.5].map((part) => Math.ceil(longest.length * part));
  return [...new Set([...lengths, SHORTEST])]
    .filter((length) => length >= SHORTEST && length < longest.length)
    .map((length) => longest.slice(0, length));
};
