import type { Judge } from './access/authorize.ts';
import type { SecretBox } from './access/secret-box.ts';
import type { Engine } from './catalog/engine.ts';
import { type Bounds, limitsOf } from './catalog/limits.ts';
import { createFactsReader } from './catalog/read/facts.ts';
import { createStore } from './catalog/read/store.ts';
import type { Registry } from './catalog/registry.ts';
import { noticing, tellingCommitter } from './catalog/write/committing.ts';
import type { Config } from './config.ts';
import type { Documents } from './contracts/odcs/documents.ts';
import { contractSteward } from './contracts/steward.ts';
import { suitesGone } from './contracts/suite.ts';
import { createAddressCheck } from './events/address.ts';
import type { Graph } from './graph/client.ts';
import { createSerial } from './graph/serial.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Notice } from './lane/messages.ts';
import { createColumnKeeper, createPartKeeper } from './lineage/keep.ts';
import { keepTests } from './quality/moves.ts';
import { testCaseSteward } from './quality/steward.ts';

type EngineDeps = {
  readonly config: Config;
  readonly graph: Graph;
  readonly registry: Registry;
  readonly secrets: SecretBox;
  readonly clock: () => number;
  readonly bounds?: Bounds | undefined;
};

/** What the process makes once and hands to its engine. */
export type EngineParts = {
  readonly jobs: Jobs;
  readonly judge: Judge;
  readonly documents: Documents;
  /** Told of every commit and of what was changed by it. */
  readonly notify: (notice: Notice) => void;
};

/** What every room works with: the store, the rights, the committer and what rooms say of each other's records. */
export const createEngine = (deps: EngineDeps, { jobs, judge, documents, notify }: EngineParts): Engine => {
  const store = createStore(deps.graph, deps.registry);
  return {
    registry: deps.registry,
    graph: deps.graph,
    store,
    commit: noticing(
      tellingCommitter(deps, () => notify({ type: 'committed' })),
      () => notify({ type: 'rights' }),
    ),
    serial: createSerial(),
    secrets: deps.secrets,
    authorize: judge.authorize,
    judge,
    facts: createFactsReader(deps.graph, store),
    clock: deps.clock,
    // A user whose rights changed is looked up again at once by this process.
    written: ({ name, kind }, conferrals = []) =>
      notify({
        type: 'written',
        names: [name, ...conferrals.map(({ to }) => to.name)],
        calls: kind.calls !== undefined,
      }),
    columnsMoved: [createColumnKeeper(deps.graph, deps.clock), keepTests],
    partsGone: createPartKeeper(deps.graph, deps.clock),
    stewards: new Map([
      ['testCase', { ...testCaseSteward, part: suitesGone }],
      ['dataContract', contractSteward],
    ]),
    readYaml: documents.yaml,
    mayCall: createAddressCheck({ allowPrivate: deps.config.webhooks.allowPrivate }),
    jobs,
    limits: limitsOf(deps.config.limits, deps.bounds),
  };
};
