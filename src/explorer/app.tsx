import { lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { Frame } from './frame.tsx';
import { HomePage } from './pages/home.tsx';
import { MissingPage } from './pages/missing.tsx';
import { SignInAgain, SignInPage } from './pages/sign-in.tsx';
import { FaultBoundary } from './parts/fault-boundary.tsx';
import { usePageTitle } from './parts/page-title.ts';
import { Failure, Waiting } from './parts/states.tsx';
import { reloadKeepingWork } from './parts/unsaved.ts';
import { isOfFile, useIsReloading } from './session/reload.ts';
import { resumeSession, useSessionState } from './session/session.ts';

const SearchPage = lazy(async () => ({ default: (await import('./pages/search.tsx')).SearchPage }));
const AssetPage = lazy(async () => ({ default: (await import('./pages/asset.tsx')).AssetPage }));
const LineagePage = lazy(async () => ({ default: (await import('./pages/lineage.tsx')).LineagePage }));
const ContractPage = lazy(async () => ({ default: (await import('./pages/contract.tsx')).ContractPage }));
const CsvPage = lazy(async () => ({ default: (await import('./pages/csv.tsx')).CsvPage }));
const PathsPage = lazy(async () => ({ default: (await import('./pages/paths.tsx')).PathsPage }));
const HealthPage = lazy(async () => ({ default: (await import('./pages/health.tsx')).HealthPage }));
const ChangesPage = lazy(async () => ({ default: (await import('./pages/changes.tsx')).ChangesPage }));
const QueryPage = lazy(async () => ({ default: (await import('./pages/query.tsx')).QueryPage }));
const AgreementPage = lazy(async () => ({ default: (await import('./pages/agreement.tsx')).AgreementPage }));
const PeoplePage = lazy(async () => ({ default: (await import('./pages/people.tsx')).PeoplePage }));
const AuditPage = lazy(async () => ({ default: (await import('./pages/audit.tsx')).AuditPage }));

const reload = (): void => {
  // Where not all can be kept, the browser asks whether to leave it.
  if (!reloadKeepingWork()) window.location.reload();
};

const NO_FILE = new Error('A file of it could not be loaded. Check the connection and try again');

const PageFault = ({ failure }: { readonly failure: unknown }) => {
  const isReloading = useIsReloading();
  if (isReloading) return <Waiting what="the newer version of this page" />;
  return (
    <div className="page stack">
      <h1>This page could not be shown</h1>
      <Failure failure={isOfFile(failure) ? NO_FILE : failure} again={reload} />
    </div>
  );
};

/**
 * The pages by their addresses. Whoever is not signed in sees the sign-in in place of the page, and then the page; whose session
 * ends meanwhile, over the page.
 */
export const App = () => {
  const state = useSessionState();
  usePageTitle();
  const [location] = useLocation();
  if (state === 'starting') return <Waiting what="the session" />;
  if (state === 'unreachable')
    return <Failure failure={new Error('The service does not answer')} again={resumeSession} />;
  if (state === 'signedOut') return <SignInPage />;
  return (
    <Frame>
      {state === 'interrupted' && <SignInAgain />}
      <FaultBoundary key={location} fallback={(failure) => <PageFault failure={failure} />}>
        <Suspense fallback={<Waiting what="the page" />}>
          <Switch>
            <Route path="/" component={HomePage} />
            <Route path="/search" component={SearchPage} />
            <Route path="/assets/:type/:fqn">{({ type, fqn }) => <AssetPage key={fqn} type={type} fqn={fqn} />}</Route>
            <Route path="/lineage/:type/:fqn">
              {({ type, fqn }) => <LineagePage key={fqn} type={type} fqn={fqn} />}
            </Route>
            <Route path="/contracts/:type/:fqn">
              {({ type, fqn }) => <ContractPage key={fqn} type={type} fqn={fqn} />}
            </Route>
            <Route path="/csv/:type/:fqn">{({ type, fqn }) => <CsvPage key={fqn} type={type} fqn={fqn} />}</Route>
            <Route path="/paths" component={PathsPage} />
            <Route path="/catalog-health" component={HealthPage} />
            <Route path="/changes" component={ChangesPage} />
            <Route path="/agreement" component={AgreementPage} />
            <Route path="/ask" component={QueryPage} />
            <Route path="/people" component={PeoplePage} />
            <Route path="/audit" component={AuditPage} />
            <Route component={MissingPage} />
          </Switch>
        </Suspense>
      </FaultBoundary>
    </Frame>
  );
};
