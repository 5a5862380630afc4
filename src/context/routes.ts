import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { nameAddress, parseQueryFlag } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { redactSnapshot } from '../catalog/read/redaction.ts';
import { recordNotFound } from '../errors.ts';
import { flagParameter } from '../http/query-parameters.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { JsonObject } from '../model/json.ts';
import { memoisePerKind } from '../model/kind/derived-values.ts';
import type { Kind } from '../model/kind/kind.ts';
import { kindWords } from '../model/kind/kind-words.ts';
import { Markdown } from '../model/values.ts';
import { PAGE_SECTIONS, type RecordNeighbours, renderPage, SECTIONS_ABOVE_COLUMNS } from './page.ts';

const MEDIA_TYPE = 'text/markdown';

const PAGE_MEMBERS = ['owners', 'domains', 'dataProducts', 'tags'] as const;

/** The fields that a page shows, as far as the kind has them. Columns are always read. */
const pageFields = memoisePerKind(
  (kind): ReadonlySet<string> => new Set(PAGE_MEMBERS.filter((name) => kind.gated.includes(name))),
);

/** Reads the upstream and downstream records that the principal may see. */
export type ReadNeighbours = (principal: Principal, id: string) => Promise<RecordNeighbours>;

/** Reads what the contract of a record says of it besides its schema, as far as the principal may see it. */
export type ReadAnnotations = (principal: Principal, id: string) => Promise<JsonObject>;

type ContextReaders = { readonly readNeighbours: ReadNeighbours; readonly readAnnotations: ReadAnnotations };

const readContext =
  (engine: Engine, { readNeighbours, readAnnotations }: ContextReaders, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const address = nameAddress(kind, call.params['fqn'] ?? '');
    const record = await engine.store.record(kind, address, pageFields(kind));
    if (!record || record.deleted) throw recordNotFound(kind.entityType, address.fqn);
    call.countWork(record.weight);
    await authorizeRecord(engine, call.principal, ['ViewBasic'], record);
    const content = renderPage(
      await redactSnapshot(engine, call.principal, record),
      await readNeighbours(call.principal, record.id),
      await readAnnotations(call.principal, record.id),
      parseQueryFlag(call, 'columns', true) ? PAGE_SECTIONS : SECTIONS_ABOVE_COLUMNS,
    );
    return { status: 200, text: { mediaType: `${MEDIA_TYPE}; charset=utf-8`, content } };
  };

/** Routes that return every record as a Markdown page, for people in a terminal and for language models. */
export const contextRoutes = (engine: Engine, readers: ContextReaders): Route[] =>
  engine.registry.kinds.map((kind) => ({
    method: 'GET',
    path: `/v1/${kind.path}/name/{fqn}/context`,
    summary: `Get ${kindWords(kind).a} as Markdown`,
    tag: kind.title,
    access: { operation: 'ViewBasic', resource: kind.entityType },
    query: [flagParameter('columns', 'Whether the page lists the columns', true)],
    responses: { 200: Markdown },
    answers: MEDIA_TYPE,
    handle: readContext(engine, readers, kind),
  }));
