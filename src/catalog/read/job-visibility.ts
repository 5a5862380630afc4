import type { Principal } from '../../access/principal.ts';
import type { JobVisibility } from '../../jobs/job-visibility.ts';
import type { Engine } from '../engine.ts';
import { createRedactor } from './redaction.ts';
import { areNamesVisible } from './visible-names.ts';

type Deps = {
  readonly engine: Engine;
  /** A digest that changes when the rights of a caller change. */
  readonly digest: (principal: Principal) => string;
  /** Reloads the principal who requested a job. */
  readonly refreshPrincipal: (actor: Principal) => Promise<Principal>;
};

/** Creates the checks of who may see a job, and reloads the rights of the principal for whom a job runs. */
export const createJobVisibility = ({ engine, digest, refreshPrincipal }: Deps) => {
  const visibility: JobVisibility = {
    redactorFor: (principal) => createRedactor(engine, principal),
    canSeeTargets: (principal, targets) => areNamesVisible(engine, principal, targets),
    rightsDigestOf: digest,
  };
  const rightsOf = async (actor: Principal): Promise<string> => {
    await engine.authorizer.ensureFresh();
    return digest(await refreshPrincipal(actor));
  };
  return { visibility, rightsOf };
};
