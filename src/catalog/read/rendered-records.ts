import { LRUCache } from 'lru-cache';
import type { Principal } from '../../access/principal.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { Engine } from '../engine.ts';
import { etagCovers } from './etag-coverage.ts';
import { canSeeEverything } from './facts.ts';
import { canKeepMembers } from './keepable-members.ts';
import { type AnswerChecks, createKeptAnswers, type Kept, recordStateOf } from './kept-answers.ts';
import { renderRecord, type View } from './render.ts';
import type { Snapshot } from './snapshot.ts';
import { type Address, addressKey } from './store.ts';

/** Keeps the rendered answers of records in memory. Only answers that are the same for every caller are kept. */

export type RenderedRecord = Pick<Snapshot, 'id' | 'fullyQualifiedName' | 'version' | 'updatedAt'> & {
  /** Whether the ETag covers everything that the answer shows. */
  readonly isCoveredByEtag: boolean;
  readonly json: Buffer;
};

/** A form of a record's answer: forms differ by the requested members and by the prefix of their hrefs. */
export type RenderedForm = { readonly kind: Kind; readonly view: View };

export type RenderedRecords = {
  /** Returns the current answer of a record, if it is known. */
  find(form: RenderedForm, address: Address): Promise<RenderedRecord | undefined>;
  /** Returns the current answers of records at the given revisions, as far as they are known, in their order. */
  findMany(
    form: RenderedForm,
    records: readonly { readonly id: string; readonly revision: number }[],
  ): Promise<readonly (RenderedRecord | undefined)[]>;
  /** Renders a record that was just read, and keeps its answer unless it is deleted. */
  render(form: RenderedForm, record: Snapshot): RenderedRecord;
};

const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_NAMES = 100_000;

/** Whether the caller sees every record, and the answer with these members is the same for all such callers. */
export const canShareRendered = (
  engine: Pick<Engine, 'authorizer'>,
  principal: Principal,
  kind: Kind,
  fields: ReadonlySet<string>,
): boolean => canKeepMembers(kind, fields) && canSeeEverything(engine, principal);

/** Renders a record as JSON text, encoded. */
export const renderRecordText = (record: Snapshot, view: View): Buffer =>
  Buffer.from(JSON.stringify(renderRecord(record, view)));

const formKey = ({ view: { hrefBase = '', fields } }: RenderedForm): string =>
  fields.size === 0 ? hrefBase : `${hrefBase} ${[...fields].sort().join()}`;

const answerKey = ({ entityType }: Kind, id: string, form: string): string => `${entityType} ${id} ${form}`;

const nameKey = ({ entityType }: Kind, fqn: string): string => `${entityType} ${fqn}`;

export const createRenderedRecords = (checks: AnswerChecks): RenderedRecords => {
  const answers = createKeptAnswers<RenderedRecord>({
    ...checks,
    maxBytes: MAX_KEPT_BYTES,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    sizeOf: ({ json }) => json.length,
    isSame: (one, other) => one.json.equals(other.json),
  });
  const idsByName = new LRUCache<string, string>({ max: MAX_NAMES });

  const lookUp = (form: RenderedForm, address: Address): Kept<RenderedRecord> | undefined => {
    const id = 'id' in address ? address.id : idsByName.get(nameKey(form.kind, addressKey(address)));
    const known = id === undefined ? undefined : answers.find(answerKey(form.kind, id, formKey(form)));
    // The record may have been renamed since it was found under this name.
    const isFound = 'id' in address || known?.content.fullyQualifiedName === address.fqn;
    return isFound ? known : undefined;
  };

  const find: RenderedRecords['find'] = async (form, address) => {
    const [current] = await answers.chooseCurrent([lookUp(form, address)]);
    return current?.content;
  };

  const findMany: RenderedRecords['findMany'] = async (form, records) => {
    const suffix = formKey(form);
    const known = records.map(({ id }) => answers.find(answerKey(form.kind, id, suffix)));
    const alreadyRead = new Map(records.map(({ id, revision }) => [id, revision]));
    return (await answers.chooseCurrent(known, alreadyRead)).map((current) => current?.content);
  };

  const render: RenderedRecords['render'] = (form, record) => {
    const { id, version, updatedAt, fullyQualifiedName } = record;
    const json = renderRecordText(record, form.view);
    const isCoveredByEtag = etagCovers(form.view.fields, record);
    const answer = { id, fullyQualifiedName, version, updatedAt, isCoveredByEtag, json };
    if (record.deleted) return answer;
    answers.keep(answerKey(form.kind, id, formKey(form)), recordStateOf(record), answer);
    idsByName.set(nameKey(form.kind, fullyQualifiedName), id);
    return answer;
  };

  return { find, findMany, render };
};
