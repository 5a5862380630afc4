import { createView, readRequiredJson } from '../../catalog/read/answer.ts';
import { bulkResultSchema } from '../../catalog/routes/schemas.ts';
import { type BulkFailure, type BulkSuccess, buildBulkResult } from '../../catalog/write/bulk.ts';
import { badRequest } from '../../errors.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { engineWithAbortSignal } from '../../lineage/read/abort-signal.ts';
import { groupBy } from '../../model/group-by.ts';
import { ApplyPropagation } from '../../model/schemas/insight/propagation.ts';
import { validate } from '../../model/validate.ts';
import { requireScope } from '../scope.ts';
import { findPropagation, type JudgedColumn, type Propagation } from './judge-columns.ts';
import { createTrustRules, defaultDepth, type PropagationDeps } from './propagation-deps.ts';
import { describeShortestWay } from './render-rows.ts';
import { writeLabels } from './write-labels.ts';

/** The route that gives columns the labels that they inherit by lineage. */

type ApplyRequest = {
  readonly tag: string;
  readonly columns?: readonly string[];
  readonly scope?: string;
  readonly dryRun?: boolean;
};

type Chosen = {
  readonly rows: readonly JudgedColumn[];
  readonly passed: readonly BulkSuccess[];
  readonly failed: readonly BulkFailure[];
};

const refuse = (request: string, message: string): BulkFailure => ({ request, status: 400, message });

/** Why a column gets no label, or undefined. */
const objectionTo = ({ state, blockedBy, rivals }: JudgedColumn, tag: string): string | undefined => {
  if (state === 'blocked')
    return `${tag} does not reach the column: ${blockedBy?.function} lies on every way that leads to it`;
  if (state !== 'conflicts') return undefined;
  const names = rivals.length === 0 ? 'another tag' : rivals.map(({ tagFQN }) => tagFQN).join(', ');
  return `The column carries ${names}, which excludes ${tag}`;
};

/** Finds the columns that a request names. Those that have the label already need nothing. */
const chooseNamed = ({ rows, tag }: Propagation, names: readonly string[]): Chosen => {
  const byName = groupBy(rows, ({ column }) => column.fullyQualifiedName);
  const passed: BulkSuccess[] = [];
  const failed: BulkFailure[] = [];
  const chosen = [...new Set(names)].flatMap((name) => {
    const found = byName.get(name);
    if (!found) failed.push(refuse(name, `No column ${name} inherits ${tag.fullyQualifiedName}`));
    return (found ?? []).filter((row) => {
      const objection = objectionTo(row, tag.fullyQualifiedName);
      if (objection !== undefined) failed.push(refuse(name, objection));
      else if (row.state === 'agrees') passed.push({ request: name, status: 200 });
      return row.state === 'missing';
    });
  });
  return { rows: chosen, passed, failed };
};

const chooseMissing = ({ rows }: Propagation, most: number): Chosen => {
  const missing = rows.filter(({ state }) => state === 'missing');
  if (missing.length > most)
    throw badRequest(`${missing.length} columns would be labelled; at most ${most} are at once. Name a scope`);
  return { rows: missing, passed: [], failed: [] };
};

const handleApply =
  (deps: PropagationDeps) =>
  async (call: Call): Promise<Answer> => {
    const engine = engineWithAbortSignal(deps.engine, call.signal);
    const { principal } = call;
    const body = validate(ApplyPropagation, await readRequiredJson(call)) as unknown as ApplyRequest;
    const dryRun = body.dryRun === true;
    const found = await findPropagation(engine, principal, {
      tag: body.tag,
      scope: await requireScope(engine, principal, body.scope ?? ''),
      maxDepth: defaultDepth(deps.maxDepth),
      budget: deps.budget,
      trust: createTrustRules(deps.blockers, engine.clock()),
    });
    const most = engine.limits.bulkRows;
    const chosen = body.columns ? chooseNamed(found, body.columns) : chooseMissing(found, most);
    const written = await writeLabels(
      engine,
      { principal, viewFor: (fields) => createView(engine, call, fields), dryRun },
      chosen.rows.map((row) => ({
        key: row.column.key,
        fullyQualifiedName: row.column.fullyQualifiedName,
        tagFqn: found.tag.fullyQualifiedName,
        reason: describeShortestWay(row),
      })),
    );
    return {
      status: 200,
      headers: found.cut === undefined ? {} : { 'X-Lineage-Truncated': found.cut },
      json: buildBulkResult([...chosen.passed, ...written.passed], [...chosen.failed, ...written.failed], dryRun),
    };
  };

export const applyRoute = (deps: PropagationDeps): Route => ({
  tag: 'Lineage',
  // Each column is authorized separately.
  access: { operation: 'ViewBasic', resource: 'lineage', anyOf: [] },
  isOwn: true,
  sends: ['X-Lineage-Truncated'],
  method: 'POST',
  path: '/v1/lineage/propagation/apply',
  summary: 'Give columns the labels that they inherit',
  body: { schema: ApplyPropagation, mediaTypes: ['application/json'] },
  responses: { 200: bulkResultSchema },
  handle: handleApply(deps),
});
