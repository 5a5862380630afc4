import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type ChainCheck, createChainCheck } from '../audit/chain.ts';
import type { AuditEntry } from '../audit/entry.ts';
import type { AuditHead } from '../audit/queries.ts';
import { AUDIT_HEAD_HEADER } from '../audit/routes.ts';
import { StartupError } from '../errors.ts';
import { createServiceRequest, type ServiceConnection } from './service-client.ts';

/** `tributary audit verify`: verifies the hash chain of a running service's audit log or of an exported file. */

type ChainVerdict = {
  readonly isIntact: boolean;
  readonly entries: number;
  /** Absent where there is no entry. */
  readonly lastHash?: string;
  readonly fault?: string;
};

const readEntry = (line: string): AuditEntry | undefined => {
  try {
    return JSON.parse(line) as AuditEntry;
  } catch {
    return undefined;
  }
};

const followChain = async (lines: AsyncIterable<string>, chain: ChainCheck): Promise<string | undefined> => {
  for await (const line of lines) {
    if (line === '') continue;
    const entry = readEntry(line);
    if (!entry) return `line ${chain.count() + 1} is no entry`;
    const fault = chain.next(entry);
    if (fault !== undefined) return fault;
  }
  return chain.end();
};

const judgeChain = (fault: string | undefined, chain: ChainCheck): ChainVerdict => {
  const lastHash = chain.last();
  return {
    isIntact: fault === undefined,
    entries: chain.count(),
    ...(lastHash ? { lastHash } : {}),
    ...(fault === undefined ? {} : { fault }),
  };
};

export const describeVerdict = ({ entries, lastHash, fault }: ChainVerdict): string =>
  fault === undefined
    ? `The chain of ${entries} entries is intact; the last hash is ${lastHash ?? '(none)'}`
    : `The audit log is broken: ${fault}`;

const readLinesOf = (input: Readable): AsyncIterable<string> =>
  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });

/** Verifies the log of a service. The head in the response is trusted, entries are not. */
export const verifyServiceAudit = async (remote: ServiceConnection): Promise<ChainVerdict> => {
  const response = await createServiceRequest(remote)('audit log', 'GET', 'audit/export');
  const head = response.headers.get(AUDIT_HEAD_HEADER);
  if (head === null || response.body === null) throw new StartupError(`${remote.server} does not export an audit log`);
  const chain = createChainCheck(JSON.parse(head) as AuditHead);
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  return judgeChain(await followChain(readLinesOf(body), chain), chain);
};

/** Verifies an exported file, which does not say where the log should end. */
export const verifyAuditFile = async (path: string): Promise<ChainVerdict> => {
  const chain = createChainCheck(undefined);
  const input = createReadStream(path);
  const fault = await followChain(readLinesOf(input), chain).catch((cause: unknown) => {
    throw new StartupError(`${path} could not be read`, { cause });
  });
  return judgeChain(fault, chain);
};
