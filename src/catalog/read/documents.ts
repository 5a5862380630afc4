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

/** How many records are looked for at once. */
const READ_BATCH = 1000;

type SearchDocumentReader = Pick<Engine, 'registry' | 'store' | 'secrets'>;

/** What the document of a record is made from. */
const documentSource = (
  context: Pick<Engine, 'registry' | 'secrets'>,
  record: Snapshot,
  hrefBase: string | undefined,
): JsonObject => {
  const view = { ...storageView(context, documentSourceMembers(record.kind)), hrefBase };
  return { ...record.counts, ...renderRecord(withoutInherited(record), view) };
};

/** The document of a record that was read with all that documents of its kind tell of. */
export const buildRecordDocument = (
  context: Pick<Engine, 'registry' | 'secrets'>,
  record: Snapshot,
  hrefBase?: string,
): JsonObject => {
  return buildDocument(record.kind, documentSource(context, record, hrefBase));
};

/** The documents of records of one kind, by their ids. */
export const buildRecordDocuments = async (
  reader: SearchDocumentReader,
  kind: Kind,
  ids: readonly string[],
  hrefBase?: string,
  spend?: Call['countWork'],
  redact?: RecordRedact,
): Promise<JsonObject[]> => {
  const read = await reader.store.records(kind, ids, documentSourceMembers(kind));
  const records = redact ? await redact.countVisible(read) : read;
  spend?.(records.reduce((sum, { weight }) => sum + weight, 0));
  const breathe = createWorkYielder();
  const sources: JsonObject[] = [];
  for (const record of records) {
    const turn = breathe(record.weight);
    if (turn) await turn;
    sources.push(documentSource(reader, record, hrefBase));
  }
  // Members that follow from others must not tell what those leave out, so the record is redacted before its document is made.
  const shown = redact ? await redact(sources) : sources;
  const documents: JsonObject[] = [];
  for (const [at, source] of shown.entries()) {
    const turn = breathe(records[at]?.weight ?? 0);
    if (turn) await turn;
    documents.push(buildDocument(kind, source));
  }
  return documents;
};

/** A record and of which kind it is, as far as somebody has said so. */
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
 * The documents of many records, of whatever kinds, by their ids; those that are gone are left out. Secrets are masked:
 * whoever may find a record sees its document, without what `redact` leaves out. With `hrefBase` every reference has its address.
 */
export const readDocuments = async (
  reader: SearchDocumentReader,
  records: readonly (string | TypedId)[],
  hrefBase?: string,
  spend?: Call['countWork'],
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
      for (const document of await buildRecordDocuments(reader, kind, ids, hrefBase, spend, redact)) {
        documents.set(String(document['id']), document);
      }
    });
    await Promise.all(reads);
  }
  return documents;
};
