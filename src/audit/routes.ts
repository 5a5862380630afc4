import { demandAdmin } from '../access/authorization.ts';
import { badRequest } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import {
  AFTER_PARAMETER,
  integerParameter,
  limitParameter,
  momentParameter,
  readMoment,
  textParameter,
} from '../http/query-parameters.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import { AnyJson, Integer, listOf, must, oneOf, shape, Text, Timestamp } from '../model/values.ts';
import { AUDIT_ACTIONS, decodeEntry } from './entry.ts';
import { type AuditFilter, type AuditHead, listEntriesBackward, listEntriesForward, readAuditHead } from './queries.ts';

/** Routes through which administrators read the audit log. */

const MOST = 1000;
const PAGE = 1000;
const NEWEST = Number.MAX_SAFE_INTEGER;

const Entry = shape('AuditEntry', {
  seq: must(Integer),
  at: must(Timestamp),
  actor: must(Text),
  action: must(oneOf(AUDIT_ACTIONS)),
  target: Text,
  outcome: must(oneOf(['ok', 'refused'])),
  address: must(Text),
  requestId: must(Text),
  details: must(AnyJson),
  previousHash: must(Text),
  hash: must(Text),
});

const EntryList = shape('AuditEntryList', { data: must(listOf(Entry)), paging: must(AnyJson) });

const FILTER_PARAMETERS: readonly QueryParameter[] = [
  momentParameter('from', 'Time of the earliest entry'),
  momentParameter('to', 'Time of the latest entry'),
  textParameter('actor', 'Name of the user or bot that acted'),
  { name: 'action', description: 'Recorded action', schema: { type: 'string', enum: AUDIT_ACTIONS } },
];

const parseFilter = ({ query }: Call): AuditFilter => {
  const action = query.get('action') || null;
  if (action !== null && !AUDIT_ACTIONS.some((known) => known === action)) {
    throw badRequest(`[action must be one of ${AUDIT_ACTIONS.join(', ')}]`);
  }
  const [from = null, to = null] = [readMoment(query, 'from'), readMoment(query, 'to')];
  return { from, to, actor: query.get('actor') || null, action };
};

const NO_STORE = { 'Cache-Control': 'no-store' };

/** Lists entries, newest first. `after` is the number of the previous page's last entry. */
const listEntries = async (graph: Graph, call: Call): Promise<Answer> => {
  const limit = integerParameter(call.query, 'limit', 100, 1, MOST);
  const before = integerParameter(call.query, 'after', NEWEST, 0, NEWEST);
  const rows = await graph.read(listEntriesBackward, { ...parseFilter(call), before, limit: limit + 1 });
  const data = rows.slice(0, limit).map(({ entry }) => decodeEntry(entry));
  const last = rows.length > limit ? data.at(-1) : undefined;
  const paging = last ? { after: String(last.seq) } : {};
  return { status: 200, headers: NO_STORE, json: { data, paging } };
};

const EMPTY_HEAD: AuditHead = { seq: 0, hash: '', anchorSeq: 0, anchorHash: '' };

async function* streamEntries(graph: Graph, head: AuditHead, filter: AuditFilter): AsyncGenerator<string> {
  let after = head.anchorSeq;
  yield '';
  for (;;) {
    const rows = await graph.read(listEntriesForward, { ...filter, after, until: head.seq, limit: PAGE });
    const entries = rows.map(({ entry }) => decodeEntry(entry));
    if (entries.length > 0) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    const last = entries.at(-1);
    if (!last || entries.length < PAGE) return;
    after = last.seq;
  }
}

/** The header gives the start and end of the log, so that readers can check that an export is complete. */
export const AUDIT_HEAD_HEADER = 'X-Audit-Head';

const exportEntries = async (graph: Graph, call: Call): Promise<Answer> => {
  const filter = parseFilter(call);
  const [head = EMPTY_HEAD] = await graph.read(readAuditHead, {});
  const headers = {
    ...NO_STORE,
    'Content-Type': 'application/x-ndjson',
    'Content-Disposition': 'attachment; filename="audit.jsonl"',
    [AUDIT_HEAD_HEADER]: JSON.stringify(head),
  };
  return { status: 200, headers, stream: streamEntries(graph, head, filter) };
};

export const auditRoutes = (graph: Graph): Route[] => {
  const declare = (
    route: Pick<Route, 'path' | 'summary' | 'query' | 'responses' | 'answers' | 'each' | 'sends' | 'handle'>,
  ): Route => ({
    method: 'GET',
    tag: 'Audit log',
    access: 'authenticated',
    isOwn: true,
    ...route,
    handle: async (call) => {
      demandAdmin(call.principal, 'ViewAll');
      return route.handle(call);
    },
  });
  return [
    declare({
      path: '/v1/audit',
      summary: 'List audit log entries, newest first',
      query: [...FILTER_PARAMETERS, limitParameter('entries', 1, MOST, 100), AFTER_PARAMETER],
      responses: { 200: EntryList },
      handle: (call) => listEntries(graph, call),
    }),
    declare({
      path: '/v1/audit/export',
      summary: 'Export the audit log as JSON Lines, oldest first',
      query: FILTER_PARAMETERS,
      responses: { 200: undefined },
      answers: 'application/x-ndjson',
      each: Entry,
      sends: ['Content-Disposition', AUDIT_HEAD_HEADER],
      handle: (call) => exportEntries(graph, call),
    }),
  ];
};
