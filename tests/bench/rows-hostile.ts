import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { readColumnType } from '../../src/contracts/odcs/schema/column-types.ts';
import { readOdcs } from '../../src/contracts/odcs/texts/documents.ts';
import { threeWayMerge } from '../../src/contracts/odcs/three-way-merge.ts';
import { findBrokenClauses } from '../../src/contracts/validation/broken-clauses.ts';
import { evaluateExpression } from '../../src/contracts/validation/logic/evaluate.ts';
import { splitSql } from '../../src/explorer/lineage/sql.ts';
import {
  bulkyDocument,
  HOSTILE_FACTS,
  HOSTILE_RULES,
  hostileContract,
  hostileDocuments,
  hostileTypes,
  manyKeys,
} from '../support/hostile-input.ts';
import { importAndExport, longDocuments, longRules, wideTable } from '../support/long-documents.ts';
import { exported, imported, tableOf } from '../support/odcs-mapping.ts';
import { largeContract } from './rows-contracts.ts';
import { restart } from './rows-start.ts';
import type { Result, Stand } from './stand.ts';

/** Input that is made to take long: how long it takes, and whom it holds up. */

type Work = { readonly name: string; readonly mostMs: number; readonly run: () => unknown };

const ROUNDS = 3;
const LENGTH = 10_000;
const MIB = 1024 * 1024;

const ignoreRefusal = (work: () => unknown): void => {
  try {
    work();
  } catch {
    // Refusing is work as well.
  }
};

const equalItems = (count: number, x: number) => ({ quality: Array.from({ length: count }, () => ({ x })) });

const listWorks = (): readonly Work[] => {
  const types = hostileTypes(1_000_000);
  const [bulky, keys] = [bulkyDocument(10 * MIB), manyKeys(60_000)];
  const merged = [equalItems(50_000, 1), equalItems(49_000, 1), equalItems(48_000, 2)] as const;
  const { contract, changes } = hostileContract(5_000);
  const large = JSON.stringify(largeContract);
  const target = wideTable(LENGTH);
  const { document } = readOdcs(large);
  const { contract: importedContract } = imported(document, { target: tableOf('object_0', []) });
  return [
    { name: 'types', mostMs: 200, run: () => types.map((physicalType) => readColumnType({ physicalType })) },
    { name: '10 MiB', mostMs: 4000, run: () => readOdcs(bulky) },
    { name: '60,000 keys', mostMs: 8000, run: () => ignoreRefusal(() => readOdcs(keys)) },
    { name: 'largest document', mostMs: 200, run: () => readOdcs(large) },
    { name: 'import', mostMs: 100, run: () => imported(document, { target: tableOf('object_0', []) }) },
    { name: 'export', mostMs: 100, run: () => exported(importedContract, document) },
    { name: 'merge', mostMs: 3000, run: () => threeWayMerge(...merged) },
    { name: 'broken clauses', mostMs: 5000, run: () => findBrokenClauses(contract, changes, []) },
    { name: 'SQL in colours', mostMs: 1000, run: () => splitSql(`${'('.repeat(49_000)}'`) },
    {
      name: 'rules',
      mostMs: 4000,
      run: () => exported({ odcsQualityRules: longRules(LENGTH) }, undefined, { target }),
    },
    ...HOSTILE_RULES.map(([name, expression]) => ({
      name,
      mostMs: 1000,
      run: () => ignoreRefusal(() => evaluateExpression(expression, HOSTILE_FACTS, { members: new Map() })),
    })),
    ...Object.entries(longDocuments(LENGTH)).map(([name, source]) => ({
      name: `long ${name}`,
      mostMs: 4000,
      run: () => importAndExport(source, target),
    })),
  ];
};

const timeOf = (work: () => unknown): number => {
  const started = performance.now();
  work();
  return performance.now() - started;
};

/** The best of some rounds: what is measured is the code, and the first round compiles it. */
const bestOf = (work: () => unknown): number => Math.min(...Array.from({ length: ROUNDS }, () => timeOf(work)));

/** Reading and judging what is made to take long. It needs neither the service nor the database. */
export const measureHostileInput = async (): Promise<Result> => {
  const took = listWorks().map(({ name, mostMs, run }) => ({ name, mostMs, ms: bestOf(run) }));
  const [worst] = took.toSorted((a, b) => b.ms / b.mostMs - a.ms / a.mostMs);
  if (!worst) throw new Error('there is no work');
  const share = `${((100 * worst.ms) / worst.mostMs).toFixed(0)} % (${worst.name}: ${worst.ms.toFixed(0)} ms)`;
  return {
    row: 'hostile-input',
    work: `${took.length} inputs made to take long, each beside its limit of 0.2 to 8 s`,
    raw: '',
    service: share,
    reached: share,
    target: '≤ 100 %',
    ok: worst.ms <= worst.mostMs,
    figures: Object.fromEntries(took.map(({ name, ms }) => [name, Math.round(ms)])),
  };
};

const headersOf = ({ service: { token } }: Stand) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/yaml',
});

/** How long one request takes that everybody may send. */
const askOnce = async (stand: Stand, path: string): Promise<number> => {
  const started = performance.now();
  const answer = await fetch(`${stand.service.address}${path}`, { headers: headersOf(stand) });
  await answer.text();
  if (answer.status !== 200) throw new Error(`${path} is answered ${answer.status}`);
  return performance.now() - started;
};

const ROOT = 'apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1.10\nstatus: active\n';

/** The longest that anybody else waits while such documents are parsed. */
const besideDocuments = async (stand: Stand): Promise<number> => {
  const path = `${stand.service.address}/v1/dataContracts/odcs/parse/yaml`;
  let isOver = false;
  const sending = Promise.all(
    hostileDocuments(ROOT).map(async (body) =>
      (await fetch(path, { method: 'POST', headers: headersOf(stand), body })).text(),
    ),
  ).finally(() => {
    isOver = true;
  });
  let longest = 0;
  while (!isOver) longest = Math.max(longest, await askOnce(stand, '/v1/system/version'));
  await sending;
  return longest;
};

const LOGINS = 1000;

/** A login of nearly 64 KiB that never ends. */
const beginLogin = async (port: number, at: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  const head = `POST /v1/users/login HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 203.0.113.${at % 3}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 65000\r\n\r\n{"email":"${'x'.repeat(64_000)}`);
  return socket;
};

/** The longest that anybody else waits while logins stand half finished. */
const besideLogins = async (stand: Stand): Promise<number> => {
  await restart(stand, { TRUSTED_PROXIES: '127.0.0.1', MAX_BODIES_MIB: '16', MAX_BODY_MIB: '1' });
  const port = Number(new URL(stand.service.address).port);
  for (const path of PATHS) await askOnce(stand, path);
  const sockets = await Promise.all(Array.from({ length: LOGINS }, (_, at) => beginLogin(port, at)));
  let longest = 0;
  for (const path of PATHS) longest = Math.max(longest, await askOnce(stand, path));
  for (const socket of sockets) socket.destroy();
  await restart(stand);
  return longest;
};

const PATHS = ['/v1/tables?limit=1', '/v1/users/loggedInUser', '/v1/system/live', '/v1/system/ready'];
const BESIDE_DOCUMENTS_MS = 700;
const BESIDE_LOGINS_MS = 2000;

/** The longest waits of others while some requests are made to hold them up. */
export const measureHostileRequests = async (stand: Stand): Promise<Result> => {
  const [documentsMs, loginsMs] = [await besideDocuments(stand), await besideLogins(stand)];
  const reached = `${documentsMs.toFixed(0)} ms; ${loginsMs.toFixed(0)} ms`;
  return {
    row: 'hostile-requests',
    work: `the longest wait beside 4 hostile documents; beside ${LOGINS} unfinished logins`,
    raw: '',
    service: reached,
    reached,
    target: `≤ ${BESIDE_DOCUMENTS_MS} ms; ≤ ${BESIDE_LOGINS_MS} ms`,
    ok: documentsMs <= BESIDE_DOCUMENTS_MS && loginsMs <= BESIDE_LOGINS_MS,
    figures: { documentsMs, loginsMs },
  };
};
