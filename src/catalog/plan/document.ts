import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteStatementRow } from '../../graph/group-commit.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { buildStoredDocument, buildStoredDocumentInSteps } from '../../search-documents/index/stored-document.ts';

const toDocumentRow = (stored: ReturnType<typeof buildStoredDocument>): WriteStatementRow => {
  const properties = Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, encodeProperty(value)]));
  return { id: stored['id'], properties };
};

/** Builds the row of a record's search document. */
export const documentRow = (kind: Kind, document: JsonObject): WriteStatementRow =>
  toDocumentRow(buildStoredDocument(kind, document));

/** Builds the same row in steps, without blocking the event loop. */
export const documentRowAsync = async (kind: Kind, document: JsonObject): Promise<WriteStatementRow> =>
  toDocumentRow(await buildStoredDocumentInSteps(kind, document));
