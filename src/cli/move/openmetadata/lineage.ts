import { mapConcurrently } from '../../../graph/map-concurrently.ts';
import type { JsonObject } from '../../../model/json.ts';
import { type CatalogAnswer, objectOf, readList, textOf } from '../../catalog-client.ts';
import { LINEAGE_STEPS } from './collections.ts';
import { type ApiSchema, fitRequest } from './fit-request.ts';
import { absentKey, type ImportRoom, showProgress } from './import-room.ts';
import { readCollection } from './read-collection.ts';
import { addTo } from './tally.ts';

/**
 * Brings the edges of lineage. Each asset is asked for what directly feeds it, so that every edge comes once, with its
 * columns, its SQL and its pipeline, however large the graph is.
 */

const CONCURRENT = 4;

const DETAILS: ApiSchema = { $ref: '#/components/schemas/LineageDetailsInput' };

/** What the other catalog says of an edge by itself. */
const SERVER_MADE = ['createdAt', 'createdBy', 'updatedAt', 'updatedBy', 'assetEdges'];

const detailsOf = (room: ImportRoom, edge: CatalogAnswer): JsonObject => {
  const details = Object.entries(objectOf(edge['lineageDetails'])).filter(([member]) => !SERVER_MADE.includes(member));
  return fitRequest(room.fit, Object.fromEntries(details), DETAILS, 'lineageDetails');
};

const endOf = (node: CatalogAnswer): JsonObject => ({
  type: textOf(node['type']),
  fullyQualifiedName: textOf(node['fullyQualifiedName']),
});

/** Whether an end of an edge comes. */
const comes = (room: ImportRoom, types: ReadonlySet<string>, node: CatalogAnswer | undefined): boolean =>
  node !== undefined &&
  node['deleted'] !== true &&
  types.has(textOf(node['type'])) &&
  !room.absent.has(absentKey(textOf(node['type']), textOf(node['fullyQualifiedName'])));

const readEdges = async (room: ImportRoom, type: string, asset: CatalogAnswer, types: ReadonlySet<string>) => {
  const path = `lineage/${type}/${textOf(asset['id'])}`;
  const { nodes, entity, upstreamEdges } = await room.move.source.read(path, { upstreamDepth: 1, downstreamDepth: 0 });
  const known = new Map([objectOf(entity), ...readList(nodes)].map((node) => [textOf(node['id']), node]));
  return readList(upstreamEdges).flatMap((edge): readonly JsonObject[] => {
    const [from, to] = [known.get(textOf(edge['fromEntity'])), known.get(textOf(edge['toEntity']))];
    // A pipeline also shows what passes through it, which comes with the asset that it ends in.
    const isPassing = objectOf(objectOf(edge['lineageDetails'])['pipeline'])['id'] === asset['id'];
    if (isPassing || edge['toEntity'] !== asset['id']) return [];
    if (!from || !to || !comes(room, types, from) || !comes(room, types, to)) {
      addTo(room.tally.leftOut, `lineage: an edge from a ${textOf(from?.['type']) || 'record'} that does not come`);
      return [];
    }
    const description = textOf(edge['description']);
    return [
      {
        fromEntity: endOf(from),
        toEntity: endOf(to),
        ...(description === '' ? {} : { description }),
        lineageDetails: detailsOf(room, edge),
      },
    ];
  });
};

/** Writes the edges into the assets of all types, from a step and a cursor on. */
export const writeLineage = async (
  room: ImportRoom,
  start: { readonly at: number; readonly after: string | undefined },
  onPage: (at: number, after: string | undefined) => Promise<void>,
): Promise<void> => {
  const { move, known, target, tally } = room;
  const types = new Set(LINEAGE_STEPS.map(({ type }) => type));
  for (const [at, { type, path }] of LINEAGE_STEPS.entries()) {
    if (at < start.at) continue;
    const after = at === start.at ? start.after : undefined;
    let done = 0;
    for await (const page of readCollection(move.source, known, path, { pageSize: move.pageSize, after })) {
      const assets = page.records.filter(({ deleted }) => deleted !== true);
      const edges = await mapConcurrently(assets, CONCURRENT, (asset) => readEdges(room, type, asset, types));
      const { passed, refused } = await target.sendRows('edge of lineage', 'lineage/bulk', edges.flat());
      addTo(tally.written, 'edge of lineage', passed);
      tally.refusals.push(...refused.map(({ name, message }) => ({ name, message })));
      done += page.records.length;
      showProgress(room, `lineage of ${type}`, done, page.total);
      await onPage(at, page.after);
    }
  }
};
