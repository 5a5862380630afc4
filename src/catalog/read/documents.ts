import type { Call } from '../../http/route.ts';
import { createWorkYielder } from '../../http/work-yielder.ts';
import { chunk } from '../../model/chunk.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { buildDocument, documentSourceMembers } from '../../search-documents/document.ts';
import type { Engine } from '../engine.ts';
import type { RecordRedact } from './redaction.ts';
import { renderRecord } from './render.ts';
import { type Snapshot, withoutInherited } from './snapshot.ts';
import { storageView } from './stored-snapshot.ts';

/** The number of records that one read fetches. */
const READ_BATCH = 1000;

/** Documents of more records than this are not kept: a whole export would displace what is found more often. */
const MAX_KEPT_AT_ONCE = 100;

type SearchDocumentReader = Pick<Engine, 'registry' | 'store' | 'secrets'>;

type DocumentReadOptions = {
  /** With it, every reference has its href. */
  readonly hrefBase?: string | undefined;
  readonly countWork?: Call['countWork'] | undefined;
  /** How many documents are kept at once, where people are likely to ask for the same ones again. */
  readonly keptAtOnce?: number;
  /** Removes what the caller may not see. */
  readonly redact?: RecordRedact | undefined;
  /** Called with each record and its document. */
  readonly onBuilt?: (record: Snapshot, document: JsonObject) => void;
};

/** Renders the JSON from which a record's search document is built. */
const documentSource = (
  context: Pick<Engine, 'registry' | 'secrets'>,
  record: Snapshot,
  hrefBase: string | undefined,
): JsonObject => {
  const view = { ...storageView(context, documentSourceMembers(record.kind)), hrefBase };
  return { ...record.counts, ...renderRecord(withoutInherited(record), view) };
};

/** Builds the search document of a record that was read with all members its kind's documents need. */
export const buildRecordDocument = (
  context: Pick<Engine, 'registry' | 'secrets'>,
  record: Snapshot,
  hrefBase?: string,
): JsonObject => {
  return buildDocument(record.kind, documentSource(context, record, hrefBase));
};

/** Builds the search documents of records of one kind, by id. */
export const buildRecordDocuments = async (
  reader: SearchDocumentReader,
  kind: Kind,
  ids: readonly string[],
  { hrefBase, countWork, redact, onBuilt }: DocumentReadOptions = {},
): Promise<JsonObject[]> => {
  const read = await reader.store.records(kind, ids, documentSourceMembers(kind));
  const records = redact ? await redact.countVisible(read) : read;
  countWork?.(records.reduce((sum, { weight }) => sum + weight, 0));
  const breathe = createWorkYielder();
  const sources: JsonObject[] = [];
  for (const record of records) {
    const turn = breathe(record.weight);
    if (turn) await turn;
    sources.push(documentSource(reader, record, hrefBase));
  }
  // The record is redacted before its document is built, because derived members must not reveal what redaction
  // removes.
  const shown = redact ? await redact(sources) : sources;
  const documents: JsonObject[] = [];
  for (const [at, source] of shown.entries()) {
    const record = records[at];
    const turn = breathe(record?.weight ?? 0);
    if (turn) await turn;
    const document = buildDocument(kind, source);
    if (record) onBuilt?.(record, document);
    documents.push(document);
  }
  return documents;
};

/** A record's id with the entity type that the caller claims for it. */
export type TypedId = { readonly id: string; readonly entityType: string };

const resolveTypes = async ({ store }: SearchDocumentReader, ids: readonly string[]): Promise<readonly TypedId[]> => {
  const found = await Promise.all(ids.map((id) => store.referenceById(id)));
  return found.flatMap((node) => node ?? []);
};

const groupIdsByKind = (
  { registry }: SearchDocumentReader,
  records: readonly TypedId[],
): ReadonlyMap<Kind, string[]> => {
  const found = new Map<Kind, string[]>();
  for (const { id, entityType } of records) {
    const kind = registry.byType.get(entityType);
    if (!kind) continue;
    const some = found.get(kind);
    if (some) some.push(id);
    else found.set(kind, [id]);
  }
  return found;
};

type KnownDocuments = Map<string, JsonObject>;

/** Takes the documents that are known and current, for callers who see every record. */
const takeKept = async (
  { keptDocuments }: Pick<Engine, 'keptDocuments'>,
  records: ReadonlyMap<string, string | TypedId>,
  { hrefBase, countWork }: DocumentReadOptions,
): Promise<KnownDocuments> => {
  const documents: KnownDocuments = new Map();
  for (const [id, { kind, document, characters }] of await keptDocuments.find([...records.keys()], hrefBase)) {
    const asked = records.get(id);
    if (typeof asked === 'object' && asked.entityType !== kind.entityType) continue;
    countWork?.(characters);
    documents.set(id, document);
  }
  return documents;
};

/**
 * Reads the search documents of records of any kind by id, without records that no longer exist. Secrets are masked:
 * everyone who finds a record sees its document, except what `redact` removes.
 */
export const readDocuments = async (
  reader: SearchDocumentReader & Pick<Engine, 'keptDocuments'>,
  records: readonly (string | TypedId)[],
  options: Omit<DocumentReadOptions, 'onBuilt'> = {},
): Promise<ReadonlyMap<string, JsonObject>> => {
  const { hrefBase, redact, keptAtOnce = MAX_KEPT_AT_ONCE } = options;
  const distinct = new Map(records.map((one) => [typeof one === 'string' ? one : one.id, one]));
  const documents: KnownDocuments = redact ? new Map() : await takeKept(reader, distinct, options);
  const missing = [...distinct].flatMap(([id, one]) => (documents.has(id) ? [] : [one]));
  const keep = (record: Snapshot, document: JsonObject) => reader.keptDocuments.keep(record, hrefBase, document);
  const building = redact || missing.length > keptAtOnce ? options : { ...options, onBuilt: keep };
  for (const some of chunk(missing, READ_BATCH)) {
    const known = some.filter((one) => typeof one !== 'string');
    const others = some.filter((one) => typeof one === 'string');
    const kinds = groupIdsByKind(
      reader,
      others.length > 0 ? [...known, ...(await resolveTypes(reader, others))] : known,
    );
    const reads = [...kinds].map(async ([kind, ids]) => {
      for (const document of await buildRecordDocuments(reader, kind, ids, building)) {
        documents.set(String(document['id']), document);
      }
    });
    await Promise.all(reads);
  }
  return documents;
};
