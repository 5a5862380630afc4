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

type SearchDocumentReader = Pick<Engine, 'registry' | 'store' | 'secrets'>;

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
  hrefBase?: string,
  countWork?: Call['countWork'],
  redact?: RecordRedact,
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
    const turn = breathe(records[at]?.weight ?? 0);
    if (turn) await turn;
    documents.push(buildDocument(kind, source));
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

/**
 * Reads the search documents of records of any kind by id, without records that no longer exist. Secrets are masked:
 * everyone who finds a record sees its document, except what `redact` removes. With `hrefBase` every reference has its
 * href.
 */
export const readDocuments = async (
  reader: SearchDocumentReader,
  records: readonly (string | TypedId)[],
  hrefBase?: string,
  countWork?: Call['countWork'],
  redact?: RecordRedact,
): Promise<ReadonlyMap<string, JsonObject>> => {
  const documents = new Map<string, JsonObject>();
  const distinct = new Map(records.map((one) => [typeof one === 'string' ? one : one.id, one]));
  for (const some of chunk([...distinct.values()], READ_BATCH)) {
    const known = some.filter((one) => typeof one !== 'string');
    const others = some.filter((one) => typeof one === 'string');
    const kinds = groupIdsByKind(
      reader,
      others.length > 0 ? [...known, ...(await resolveTypes(reader, others))] : known,
    );
    const reads = [...kinds].map(async ([kind, ids]) => {
      for (const document of await buildRecordDocuments(reader, kind, ids, hrefBase, countWork, redact)) {
        documents.set(String(document['id']), document);
      }
    });
    await Promise.all(reads);
  }
  return documents;
};
