/** Makes the names that producers give to their tests fit for test cases. */

const MAX_LENGTH = 256;

/** Replaces what the name of a test case must not contain, and cuts what is too long. */
export const cleanTestName = (text: string): string =>
  text
    .replace(/[">\p{Cc}\p{Cs}]/gu, ' ')
    .replace(/:{2,}/g, ':')
    .trim()
    .slice(0, MAX_LENGTH);
