import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { fetchEffectiveContract, type ReadContract, readContractRights, readOwnContract } from '../api/contracts.ts';
import { useMe } from '../api/me.ts';
import { fetchSubject, type SubjectAsset } from '../api/subject.ts';
import { Versions } from '../asset/versions.tsx';
import { ContractHead } from '../contract/contract-head.tsx';
import { ContractEditor } from '../contract/editor.tsx';
import type { Contract } from '../contract/form.ts';
import { OdcsExport } from '../contract/odcs-export.tsx';
import { DeleteQuestion, RestoreOffer } from '../contract/removal.tsx';
import { ContractResults } from '../contract/results.tsx';
import { canHaveContract } from '../contract/subjects.ts';
import { TermsView } from '../contract/terms-view.tsx';
import { draftPlace } from '../contract/use-draft.ts';
import { keptDrafts } from '../parts/kept-text.ts';
import { NoAsset } from '../parts/no-asset.tsx';
import { Nothing, Waiting } from '../parts/states.tsx';
import '../contract/contract.css';
import './asset.css';
import './home.css';

const OdcsImport = lazy(async () => ({ default: (await import('../contract/odcs-import.tsx')).OdcsImport }));

type PageProps = { readonly type: string; readonly fqn: string };
type Rights = Awaited<ReturnType<typeof readContractRights>>;

type Loaded = {
  readonly subject: SubjectAsset;
  /** The contract of the asset itself. */
  readonly own: ReadContract | null;
  /** What holds for the asset, with the clauses of its data product. */
  readonly effective: Contract | null;
  readonly rights: Rights;
  readonly by: string;
};

/** Everything that the page needs, and the first thing that failed of it. */
const useContractPage = ({ type, fqn }: PageProps) => {
  const me = useMe();
  const subject = useQuery({
    queryKey: ['subject', type, fqn],
    queryFn: ({ signal }) => fetchSubject(type, fqn, signal),
  });
  const id = subject.data?.id;
  const contract = useQuery({
    queryKey: ['contract', id],
    queryFn: async ({ signal }) => {
      const of = { type, id: id ?? '' };
      const own = await readOwnContract(of, signal);
      const [effective, rights] = await Promise.all([
        fetchEffectiveContract(of, own !== null, signal),
        readContractRights(own?.contract.id, signal),
      ]);
      return { own, effective, rights };
    },
    enabled: id !== undefined && canHaveContract(type),
  });
  const failed = [subject, contract, me].find(({ error }) => error);
  const loaded: Loaded | undefined =
    subject.data && contract.data && me.data ? { subject: subject.data, ...contract.data, by: me.data.id } : undefined;
  return { subject: subject.data, loaded, failed };
};

type ViewProps = { readonly loaded: Loaded; readonly show: (view: string) => void };

const EditBar = ({ loaded: { subject, own, rights, by }, show }: ViewProps) => {
  const [isDeleting, setDeleting] = useState(false);
  const hasDraft = keptDrafts.read(draftPlace(subject.id, by)) !== undefined;
  const mayWrite = own ? rights.mayEdit : rights.mayCreate;
  return (
    <>
      {hasDraft && <p className="notice">You have typed a change that is not saved yet. Go on where you were.</p>}
      <div className="row">
        <button type="button" className="button main" disabled={!mayWrite} onClick={() => show('edit')}>
          {own ? (hasDraft ? 'Go on editing' : 'Edit') : hasDraft ? 'Go on writing' : 'Write a contract'}
        </button>
        {own ? (
          <button type="button" className="button" disabled={!rights.mayDelete} onClick={() => setDeleting(true)}>
            Delete
          </button>
        ) : (
          <button type="button" className="button" disabled={!mayWrite} onClick={() => show('odcs')}>
            Import one from ODCS
          </button>
        )}
        {!mayWrite && <span className="quiet">You may read contracts here, and not change them.</span>}
      </div>
      {isDeleting && own && <DeleteQuestion read={own} assetId={subject.id} onEnd={() => setDeleting(false)} />}
    </>
  );
};

const Terms = (props: ViewProps) => {
  const { subject, own, effective } = props.loaded;
  return (
    <div className="stack">
      <EditBar {...props} />
      {own === null && <RestoreOffer subject={subject} />}
      {own === null && effective && (
        <p className="notice">
          The asset has no contract of its own. This one comes from its data product; one of its own adds to it.
        </p>
      )}
      {effective ? (
        <TermsView contract={effective} />
      ) : (
        <Nothing>Nothing is promised of this asset. A contract says what others may rely on.</Nothing>
      )}
    </div>
  );
};

const View = ({ view, ...props }: ViewProps & { readonly view: string }) => {
  const { loaded, show } = props;
  const { subject, own, rights, by } = loaded;
  const none = <Nothing>The asset has no contract of its own yet.</Nothing>;
  switch (view) {
    case 'edit':
      return <ContractEditor subject={subject} read={own} by={by} onEnd={() => show('terms')} />;
    case 'results':
      return own ? <ContractResults id={own.contract.id} assetId={subject.id} mayRun={rights.mayEdit} /> : none;
    case 'versions':
      return own ? <Versions type="dataContract" id={own.contract.id} /> : none;
    case 'odcs':
      return (
        <div className="stack">
          {own && <OdcsExport contract={own.contract} />}
          {(own ? rights.mayEdit : rights.mayCreate) ? (
            <Suspense fallback={<Waiting what="the import" />}>
              <OdcsImport subject={subject} read={own} onImported={() => show('terms')} />
            </Suspense>
          ) : (
            <p className="quiet">You may not import contracts here.</p>
          )}
        </div>
      );
    default:
      return <Terms {...props} />;
  }
};

const NoContracts = ({ subject: { type, fqn, title } }: { readonly subject: SubjectAsset }) => (
  <div className="page stack">
    <h1>There are no contracts of this kind of asset</h1>
    <p>
      Go to <Link href={assetAddress(type, fqn)}>{title}</Link>
    </p>
  </div>
);

export const ContractPage = (props: PageProps) => {
  const { type, fqn } = props;
  const [params, setParams] = useSearchParams();
  const { subject, loaded, failed } = useContractPage(props);
  const view = params.get('view') ?? 'terms';
  if (failed?.error) return <NoAsset failure={failed.error} fqn={fqn} again={() => failed.refetch()} />;
  if (subject && !canHaveContract(type)) return <NoContracts subject={subject} />;
  if (!loaded) return <Waiting what="the contract" />;
  const { own, effective } = loaded;
  return (
    <div className="page stack">
      <ContractHead subject={loaded.subject} contract={own?.contract ?? effective} view={view} />
      <View view={view} loaded={loaded} show={(next) => setParams({ view: next })} />
    </div>
  );
};
