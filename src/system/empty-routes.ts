import type { Route } from '../http/route.ts';
import { AnyJson, Integer, listOf, must, shape } from '../model/values.ts';

/** Collections that other catalogs have and this one does not. Clients that read them get an empty list. */
const EMPTY_COLLECTIONS = ['feed', 'conversations', 'tasks', 'activity', 'announcements'] as const;

const EmptyList = shape('EmptyList', {
  data: must(listOf(AnyJson, 0)),
  paging: must(shape('EmptyPaging', { total: must(Integer) })),
});

export const emptyCollectionRoutes = (): Route[] =>
  EMPTY_COLLECTIONS.map((name) => ({
    method: 'GET',
    path: `/v1/${name}`,
    summary: `List ${name}; always empty`,
    tag: 'System',
    access: 'authenticated',
    responses: { 200: EmptyList },
    handle: () => Promise.resolve({ status: 200, json: { data: [], paging: { total: 0 } } }),
  }));
