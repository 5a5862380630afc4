import type { Answer, Call, Route } from '../../http/route.ts';
import { RootCauseAnswer } from '../../model/schemas/insight/root-cause.ts';
import type { InsightRoom } from '../graph/insight-room.ts';
import { insightAccess } from '../insight-parameters.ts';
import { findRootCause } from './find-root-cause.ts';
import { renderRootCause } from './render-root-cause.ts';
import { findWrongSubject, ROOT_CAUSE_PARAMETERS, readWindow } from './request.ts';

const handleRootCause =
  (room: InsightRoom) =>
  async (call: Call): Promise<Answer> => {
    const windowMs = readWindow(call);
    const subject = await findWrongSubject(room.engine, call.principal, call);
    const found = await findRootCause(room, call.principal, subject, windowMs);
    const { json, cuts } = await renderRootCause(room.engine, call, subject, found);
    return { status: 200, headers: cuts.length === 0 ? {} : { 'X-Lineage-Truncated': cuts.join(',') }, json };
  };

/** The route that says why data is wrong. */
export const rootCauseRoutes = (room: InsightRoom): Route[] => [
  {
    ...insightAccess,
    tag: 'Lineage',
    method: 'GET',
    path: '/v1/lineage/root-cause',
    summary: 'Find out why data is wrong',
    query: ROOT_CAUSE_PARAMETERS,
    responses: { 200: RootCauseAnswer },
    sends: ['X-Lineage-Truncated'],
    handle: handleRootCause(room),
  },
];
