import type { AuditEntry } from '../../src/audit/entry.ts';

/** The entries of an exported audit log. */
export const jsonLines = (text: string): AuditEntry[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEntry);
