import type { AuditEntry } from '../../src/audit/entry.ts';
import { ok } from './expect.ts';
import { waitFor } from './patience.ts';
import type { Client } from './service.ts';

/** Reads entries of the audit log for tests. */

/** Parses the entries of an exported audit log. */
export const jsonLines = (text: string): AuditEntry[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEntry);

type Filter = Readonly<Record<string, string>>;

/** The entries of the audit log that fit, newest first. */
export const readEntries = async (admin: Client, filter: Filter): Promise<AuditEntry[]> =>
  ok(await admin.get(`/v1/audit?${new URLSearchParams({ limit: '1000', ...filter })}`)).data;

/** The same as soon as there are some: what is only noted is written soon after its answer. */
export const entriesSoon = async (
  admin: Client,
  filter: Filter,
  fits: (entry: AuditEntry) => boolean = () => true,
): Promise<AuditEntry[]> => {
  const isAny = (entries: readonly AuditEntry[]) => entries.some(fits);
  const entries = await waitFor(
    () => readEntries(admin, filter),
    isAny,
    `there is an entry of ${JSON.stringify(filter)}`,
  );
  return entries.filter(fits);
};
