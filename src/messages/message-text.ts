/** Helpers for the texts of messages. What they work on was written by users, so it may hold anything. */

/** Control characters, line breaks, and characters that reverse the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** Puts a text on one line, without characters that change how the rest is shown. */
export const toOneLine = (text: string): string => text.replace(UNPRINTABLE, ' ').trim();

/** Shortens a text to at most this many UTF-16 units, without splitting a character. */
export const shortenText = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};
