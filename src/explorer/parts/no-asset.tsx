import { Link } from 'wouter';
import { searchAddress } from '../addresses.ts';
import { ApiFailure } from '../api/failure.ts';
import { Failure } from './states.tsx';

const MISSING = 404;
const FORBIDDEN = 403;

/** Whether the service says that there is no such asset, or none for the caller. */
export const isWithheld = (failure: unknown): failure is ApiFailure =>
  failure instanceof ApiFailure && (failure.status === MISSING || failure.status === FORBIDDEN);

/** In place of a page of an asset, why there is none: it is not there, the caller may not see it, or the service could not answer. */
export const NoAsset = ({
  failure,
  fqn,
  again,
}: {
  readonly failure: Error;
  readonly fqn: string;
  readonly again: () => void;
}) => {
  const status = failure instanceof ApiFailure ? failure.status : 0;
  if (status === MISSING)
    return (
      <div className="page stack">
        <h1>There is no such asset</h1>
        <p>
          <code>{fqn}</code> was never here, was renamed, or was deleted for good. It may also be that you are not
          allowed to know of it.
        </p>
        <p>
          <Link href={searchAddress(fqn.split('.').at(-1) ?? fqn)}>Search for its name</Link>
        </p>
      </div>
    );
  if (status === FORBIDDEN)
    return (
      <div className="page stack">
        <h1>You may not see this asset</h1>
        <p>
          <code>{fqn}</code> is here, but its policies do not let you read it. Ask its owners or an administrator.
        </p>
        <p className="quiet">{failure.message}</p>
      </div>
    );
  return (
    <div className="page">
      <Failure failure={failure} again={again} />
    </div>
  );
};
