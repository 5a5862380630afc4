import type { Principal } from '../../access/principal.ts';
import type { JobVisibility } from '../../jobs/visible.ts';
import type { Engine } from '../engine.ts';
import { redactorFor } from './visibility.ts';
import { seesNamed } from './visible-names.ts';

type Deps = {
  readonly engine: Engine;
  /** A text that changes when the rights of a caller do. */
  readonly digest: (principal: Principal) => string;
  /** Whoever asked for a job, as they are now. */
  readonly renew: (actor: Principal) => Promise<Principal>;
};

/** What jobs ask about callers, and by which rights somebody acts for whom a job is done. */
export const createJobVisibility = ({ engine, digest, renew }: Deps) => {
  const visibility: JobVisibility = {
    redactorFor: (principal) => redactorFor(engine, principal),
    seesNamed: (principal, targets) => seesNamed(engine, principal, targets),
    rightsOf: digest,
  };
  const rightsOf = async (actor: Principal): Promise<string> => {
    await engine.judge.settle();
    return digest(await renew(actor));
  };
  return { visibility, rightsOf };
};
