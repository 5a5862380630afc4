import { createBreather } from '../../http/breathe.ts';
import type { Call } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { piecesOf } from '../../model/pieces.ts';
import { documentFields, documentOf } from '../../search/document.ts';
import type { Engine } from '../engine.ts';
import { plainView } from './kept.ts';
import { render } from './render.ts';
import { type Snapshot, withoutHanded } from './snapshot.ts';
import type { RecordRedact } from './visibility.ts';

/** How many records are looked for at once. */
const AT_ONCE = 1000;

type Reader = Pick<Engine, 'registry' | 'store' | 'secrets'>;

/** What the document of a record is made from. */
const documentSource = (
  keeper: Pick<Engine, 'registry' | 'secrets'>,
  record: Snapshot,
  hrefBase: string | undefined,
): JsonObject => {
  const view = { ...plainView(keeper, documentFields(record.kind)), hrefBase };
  return { ...record.counts, ...render(withoutHanded(record), view) };
};

/** The document of a record that was read with all that documents of its kind tell of. */
export const documentFor = (
  keeper: Pick<Engine, 'registry' | 'secrets'>,
  record: Snapshot,
  hrefBase?: string,
): JsonObject => {
  return documentOf(record.kind, documentSource(keeper, record, hrefBase));
};

/** The documents of records of one kind, by their ids. */
export const documentsOf = async (
  reader: Reader,
  kind: Kind,
  ids: readonly string[],
  hrefBase?: string,
  spend?: Call['spend'],
  redact?: RecordRedact,
): Promise<JsonObject[]> => {
  const read = await reader.store.records(kind, ids, documentFields(kind));
  const records = redact ? await redact.countVisible(read) : read;
  spend?.(records.reduce((sum, { weight }) => sum + weight, 0));
  const breathe = createBreather();
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
    documents.push(documentOf(kind, source));
  }
  return documents;
};

/** A record and of which kind it is, as far as somebody has said so. */
export type Typed = { readonly id: string; readonly entityType: string };

const typed = async ({ store }: Reader, ids: readonly string[]): Promise<readonly Typed[]> => {
  const found = await Promise.all(ids.map((id) => store.referenceById(id)));
  return found.flatMap((node) => node ?? []);
};

const byKind = ({ registry }: Reader, records: readonly Typed[]): ReadonlyMap<Kind, string[]> => {
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
  reader: Reader,
  records: readonly (string | Typed)[],
  hrefBase?: string,
  spend?: Call['spend'],
  redact?: RecordRedact,
): Promise<ReadonlyMap<string, JsonObject>> => {
  const documents = new Map<string, JsonObject>();
  const distinct = new Map(records.map((one) => [typeof one === 'string' ? one : one.id, one]));
  for (const some of piecesOf([...distinct.values()], AT_ONCE)) {
    const known = some.filter((one) => typeof one !== 'string');
    const others = some.filter((one) => typeof one === 'string');
    const kinds = byKind(reader, others.length > 0 ? [...known, ...(await typed(reader, others))] : known);
    const reads = [...kinds].map(async ([kind, ids]) => {
      for (const document of await documentsOf(reader, kind, ids, hrefBase, spend, redact)) {
        documents.set(String(document['id']), document);
      }
    });
    await Promise.all(reads);
  }
  return documents;
};
