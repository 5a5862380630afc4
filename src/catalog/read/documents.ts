import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { documentFields, documentOf } from '../../search/document.ts';
import type { Engine } from '../engine.ts';
import { plainView } from './kept.ts';
import { render } from './render.ts';

/** How many records are looked for at once. */
const AT_ONCE = 1000;

type Reader = Pick<Engine, 'registry' | 'store' | 'secrets'>;

const idsByKind = async ({ registry, store }: Reader, ids: readonly string[]): Promise<Map<Kind, string[]>> => {
  const found = new Map<Kind, string[]>();
  for (const node of await Promise.all(ids.map((id) => store.referenceById(id)))) {
    const kind = node && registry.byType.get(node.entityType);
    if (!kind) continue;
    const some = found.get(kind);
    if (some) some.push(node.id);
    else found.set(kind, [node.id]);
  }
  return found;
};

/**
 * The documents of many records, of whatever kinds, by their ids; those that are gone are left out. Secrets are masked:
 * whoever may find a record sees its document. With `hrefBase` every reference has its address.
 */
export const readDocuments = async (
  reader: Reader,
  ids: readonly string[],
  hrefBase?: string,
): Promise<ReadonlyMap<string, JsonObject>> => {
  const documents = new Map<string, JsonObject>();
  const distinct = [...new Set(ids)];
  for (let start = 0; start < distinct.length; start += AT_ONCE) {
    const kinds = await idsByKind(reader, distinct.slice(start, start + AT_ONCE));
    const reads = [...kinds].map(async ([kind, some]) => {
      const fields = documentFields(kind);
      const view = { ...plainView(reader, fields), hrefBase };
      for (const record of await reader.store.records(kind, some, fields)) {
        documents.set(record.id, documentOf(kind, { ...record.counts, ...render(record, view) }));
      }
    });
    await Promise.all(reads);
  }
  return documents;
};
