import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { CSV } from '../http/csv.ts';
import { PIECE_CHARACTERS } from '../jobs/pieces.ts';
import type { Operation, Operations, Outcome, Work } from '../jobs/work.ts';
import { exportFile, findTarget, importFile, type Wonder } from './files.ts';
import { ENTITY_TYPES, layoutsFor } from './layout.ts';
import { reachAsked } from './parameters.ts';
import { insideText, NO_ROWS, RESULT_CLOSING, resultOpening } from './report.ts';
import { cutText } from './text/source.ts';

/** Files that go out or come in after the request was answered, by the rights that whoever asked for them has then. */

/** Whoever asked for a job, with the rights of now. Throws forbidden when there is no such user any more. */
type Renew = (actor: Principal) => Promise<Principal>;

type Shop = { readonly engine: Engine; readonly renew: Renew; readonly wonder: Wonder };

const principalOf = async ({ engine, renew }: Shop, work: Work): Promise<Principal> => {
  await engine.judge.settle();
  return renew(work.job.actor);
};

const targetOf = ({ job }: Work) => ({ entityType: job.entityType, fqn: job.targetFqn });

const runExport = async (shop: Shop, work: Work): Promise<Outcome> => {
  const { engine } = shop;
  const principal = await principalOf(shop, work);
  const record = await findTarget(engine, principal, targetOf(work), ['ViewAll']);
  const query = new URLSearchParams(String(work.job.input['query'] ?? ''));
  const reach = reachAsked({ query }, work.job.entityType);
  let position = 0;
  let total = 0;
  const wish = { engine, principal, record, ...reach };
  for await (const { text, rows } of exportFile(wish, work.job.input['isSafe'] === true, PIECE_CHARACTERS)) {
    work.check();
    total = rows;
    await work.save({ pieces: [{ part: 'result1', position, text }], progress: rows });
    position += 1;
  }
  await work.save({ progress: total, total });
  return { message: `${total} rows exported`, resultType: CSV };
};

/** The job that exports, for each type of record of which there are files. */
export const csvExports = (engine: Engine, renew: Renew): Operations => {
  const operation: Operation = {
    restart: 'restart',
    shortLivedResult: true,
    run: (work) => runExport({ engine, renew, wonder: () => {} }, work),
  };
  return Object.fromEntries(ENTITY_TYPES.map((type) => [type, operation]));
};

/** How often it is told how far an import has come. */
const TELL_EVERY_MS = 500;

/** Lines are doubled at most when they become part of a JSON text, but for characters that hardly anybody uses. */
const LINES_AT_ONCE = PIECE_CHARACTERS / 2;

/** Keeps what is told of rows as the middle of the result, together with how far the work has come. */
const createTeller = (work: Work) => {
  let held = '';
  let position = 0;
  let toldMs = performance.now();
  const keep = async (progress: number) => {
    const pieces = [...cutText(held, LINES_AT_ONCE)].map((text, at) => ({
      part: 'result2' as const,
      position: position + at,
      text: insideText(text),
    }));
    position += pieces.length;
    held = '';
    toldMs = performance.now();
    await work.save({ pieces, progress });
  };
  return {
    tell: async (lines: string, progress: number) => {
      held += lines;
      if (held.length >= LINES_AT_ONCE) await keep(progress);
      else if (performance.now() - toldMs > TELL_EVERY_MS) {
        toldMs = performance.now();
        await work.save({ progress });
      }
    },
    keep,
  };
};

const runImport = async (shop: Shop, work: Work): Promise<Outcome> => {
  const { engine, wonder } = shop;
  const { dryRun, entityType, input } = work.job;
  const principal = await principalOf(shop, work);
  const record = await findTarget(engine, principal, targetOf(work), ['EditAll']);
  const source = () => work.input();
  // Whoever handed the file in has surveyed it already.
  const layout = layoutsFor(entityType).find(({ name }) => name === input['layout']);
  if (!layout) throw new Error(`there are no files of ${entityType} with the layout ${input['layout']}`);
  const teller = createTeller(work);
  let tally = NO_ROWS;
  const wish = { engine, principal, record, layout, source, isSafe: input['isSafe'] === true, dryRun, wonder };
  for await (const told of importFile({ ...wish, check: work.check })) {
    tally = told.tally;
    await teller.tell(told.lines, tally.passed + tally.failed);
  }
  await teller.keep(tally.passed + tally.failed);
  await work.save({
    pieces: [
      { part: 'result1', position: 0, text: resultOpening(dryRun, tally) },
      { part: 'result3', position: 0, text: RESULT_CLOSING },
    ],
  });
  return {
    message: `${tally.passed} of ${work.job.total} rows passed`,
    resultType: 'application/json',
    refusedRows: tally.forbidden,
  };
};

/** The job that imports. Rows that were applied stay, so nobody begins anew what was interrupted. */
export const csvImport = (engine: Engine, renew: Renew, wonder: Wonder): Operation => ({
  restart: 'fail',
  run: (work) => runImport({ engine, renew, wonder }, work),
});
