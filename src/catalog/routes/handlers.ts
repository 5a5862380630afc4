/** The handlers of the routes that every kind has. */

import * as v from 'valibot';
import { badRequest, recordNotFound } from '../../errors.ts';
import type { Answer, Call } from '../../http/route.ts';
import { CHANGE_SOURCES, type ChangeSource } from '../../model/change-description.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { operationsToReadFields } from '../../model/kind/required-operations.ts';
import { parsePatch } from '../../model/language/patch.ts';
import { isUuid } from '../../model/uuid.ts';
import { validate } from '../../model/validate.ts';
import { Uuid } from '../../model/values.ts';
import { matchesIfNoneMatch } from '../../model/version.ts';
import { deleteRecord, restoreRecord } from '../cascade/delete-and-restore.ts';
import type { Engine, Writer } from '../engine.ts';
import {
  buildChangeAnswer,
  buildWriteAnswer,
  createPrecondition,
  createView,
  etagFor,
  idAddress,
  parseAddress,
  parseQueryFlag,
  readRequiredBody,
  readRequiredJson,
} from '../read/answer.ts';
import { etagCovers } from '../read/etag-coverage.ts';
import { authorizeRecord } from '../read/facts.ts';
import { NO_FIELDS } from '../read/fields.ts';
import { createHintCollector } from '../read/hint-collector.ts';
import { listVersions, parseVersionsRequest, readVersionState } from '../read/history.ts';
import { parseHistory, readHistory } from '../read/history-page.ts';
import { isLeftOut, parseReadView } from '../read/read-view.ts';
import { renderRecord } from '../read/render.ts';
import type { RenderedRecord } from '../read/rendered-records.ts';
import { redactRecord } from '../read/sensitive-values.ts';
import { addressKey } from '../read/store.ts';
import { putBulk } from '../write/bulk.ts';
import { createRecord } from '../write/create.ts';
import { deleteStale } from '../write/delete-stale.ts';
import { startBulk, startDeletion, startRestore } from '../write/start-jobs.ts';
import { patchRecord, putRecord } from '../write/update.ts';
import { castVote, followRecord, parseVote, unfollowRecord } from './follow-and-vote.ts';
import * as schema from './schemas.ts';

/** A user id, as a JSON string or as bare text: clients send both. */
const readUserId = async (call: Call): Promise<string> => {
  const text = (await call.body.text()).trim();
  const bare = text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  const checked = v.safeParse(Uuid, bare);
  if (!checked.success) throw badRequest('[body must be the UUID of a user]');
  return checked.output;
};

const createWriter = (kind: Kind, call: Call): Writer => ({
  kind,
  principal: call.principal,
  countWork: call.countWork,
});

/** Answers a record that was rendered: conditional reads learn only whether it has changed. */
const answerRendered = (call: Call, record: RenderedRecord): Answer => {
  const headers = { ETag: etagFor(record) };
  const isKnown = matchesIfNoneMatch(call.header('if-none-match'), record);
  if (isKnown && record.isCoveredByEtag) return { status: 304, headers };
  return { status: 200, headers, encoded: { mediaType: 'application/json', content: record.json } };
};

export const handleRead =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const { fields, include, view, isShared } = parseReadView(engine, kind, call);
    const address = parseAddress(kind, call);
    if ('id' in address && !isUuid(address.id)) throw recordNotFound(kind.entityType, address.id);
    const operations = operationsToReadFields(kind, fields);
    const known = isShared ? await engine.rendered.find({ kind, view }, address) : undefined;
    if (known) {
      await authorizeRecord(engine, call.principal, operations, { kind, id: known.id });
      return answerRendered(call, known);
    }
    const record = await engine.store.record(kind, address, fields);
    if (!record || isLeftOut(record, include)) throw recordNotFound(kind.entityType, addressKey(address));
    call.countWork(record.weight);
    await authorizeRecord(engine, call.principal, operations, record);
    if (isShared) return answerRendered(call, engine.rendered.render({ kind, view }, record));
    const headers = { ETag: etagFor(record) };
    const isKnown = matchesIfNoneMatch(call.header('if-none-match'), record);
    if (isKnown && etagCovers(fields, record)) return { status: 304, headers };
    const shown = await redactRecord(engine, call.principal, record);
    return { status: 200, headers, json: renderRecord(shown, view) };
  };

export const handleCreate =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> =>
    buildWriteAnswer(
      engine,
      call,
      await createRecord(engine, createWriter(kind, call), await readRequiredBody(engine, kind, call)),
    );

export const handlePut =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const options = {
      overrideMetadata: parseQueryFlag(call, 'overrideMetadata'),
      precondition: createPrecondition(kind, call),
    };
    const body = await readRequiredBody(engine, kind, call);
    return buildWriteAnswer(engine, call, await putRecord(engine, createWriter(kind, call), body, options));
  };

/** Reads the change source that the caller names; an empty text counts as none. */
const parseChangeSource = (call: Call): ChangeSource | undefined => {
  const text = call.query.get('changeSource');
  if (!text) return undefined;
  const source = CHANGE_SOURCES.find((known) => known === text);
  if (!source) throw badRequest(`[changeSource must be one of ${CHANGE_SOURCES.join(', ')}]`);
  return source;
};

export const handlePatch =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const address = parseAddress(kind, call);
    if ('id' in address && !isUuid(address.id)) throw recordNotFound(kind.entityType, address.id);
    const written = await patchRecord(engine, createWriter(kind, call), {
      address,
      source: parseChangeSource(call),
      dryRun: parseQueryFlag(call, 'dryRun') ? 'whole' : undefined,
      patch: parsePatch(await readRequiredJson(call)),
      precondition: createPrecondition(kind, call),
      viewFor: (fields) => createView(engine, call, fields),
    });
    return buildWriteAnswer(engine, call, written);
  };

const parseDeletion = (kind: Kind, call: Call) => ({
  hardDelete: parseQueryFlag(call, 'hardDelete'),
  recursive: parseQueryFlag(call, 'recursive'),
  precondition: createPrecondition(kind, call),
});

export const handleDelete =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const removal = parseDeletion(kind, call);
    return buildWriteAnswer(
      engine,
      call,
      await deleteRecord(engine, createWriter(kind, call), parseAddress(kind, call), removal),
    );
  };

export const handleAsyncDelete =
  (engine: Engine, kind: Kind) =>
  (call: Call): Promise<Answer> =>
    startDeletion(engine, createWriter(kind, call), idAddress(call), parseDeletion(kind, call));

export const handleRestore =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const isLater = parseQueryFlag(call, 'async');
    const { id } = validate(schema.restoreSchema, await readRequiredJson(call)) as { readonly id: string };
    const expected = createPrecondition(kind, call);
    if (isLater) return startRestore(engine, createWriter(kind, call), id, expected);
    return buildWriteAnswer(
      engine,
      call,
      await restoreRecord(engine, createWriter(kind, call), id, { precondition: expected }),
    );
  };

export const handleBulk =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const isLater = parseQueryFlag(call, 'async');
    const overrideMetadata = parseQueryFlag(call, 'overrideMetadata');
    const body = await readRequiredJson(call);
    const sender = { kind, principal: call.principal };
    if (isLater) return startBulk(engine, sender, body, overrideMetadata);
    const hints = createHintCollector(engine, call.principal);
    const json = await putBulk(engine, sender, body, { overrideMetadata, onFailure: hints.add });
    return { status: 200, headers: hints.headers(), json };
  };

export const handleDeleteStale =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await deleteStale(engine, createWriter(kind, call), await readRequiredJson(call)),
  });

export const handleListVersions =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    stream: await listVersions(engine, createWriter(kind, call), idAddress(call).id, parseVersionsRequest(call.query)),
  });

export const handleHistory =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await readHistory(engine, createWriter(kind, call), parseHistory(call.query)),
  });

export const handleReadVersion =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    text: {
      mediaType: 'application/json',
      content: await readVersionState(
        engine,
        createWriter(kind, call),
        idAddress(call).id,
        call.params['version'] ?? '',
      ),
    },
  });

export const handleFollow =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const following = {
      recordId: idAddress(call).id,
      userId: await readUserId(call),
      view: createView(engine, call, NO_FIELDS),
    };
    return buildChangeAnswer(await followRecord(engine, createWriter(kind, call), following));
  };

export const handleUnfollow =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const following = {
      recordId: idAddress(call).id,
      userId: idAddress(call, 'userId').id,
      view: createView(engine, call, NO_FIELDS),
    };
    return buildChangeAnswer(await unfollowRecord(engine, createWriter(kind, call), following));
  };

export const handleVote =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const body = await readRequiredJson(call);
    // Older clients send only the vote.
    const { updatedVoteType } = isObject(body)
      ? (validate(schema.voteSchema, body) as { readonly updatedVoteType: Json })
      : { updatedVoteType: body };
    const vote = parseVote(updatedVoteType);
    const event = await castVote(
      engine,
      createWriter(kind, call),
      idAddress(call).id,
      vote,
      createView(engine, call, NO_FIELDS),
    );
    return buildChangeAnswer(event);
  };
