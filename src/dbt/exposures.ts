import { type DbtArtifacts, memberEntries, memberObject, memberText } from './artifacts.ts';
import { createRelationFinder } from './dependencies.ts';
import { type DbtOwners, type DbtRelation, metaOf, readOwner, tagsOf } from './relations.ts';

/** The exposures of a dbt project: dashboards, notebooks and programs that read its tables. */

export type DbtExposure = {
  readonly uniqueId: string;
  readonly name: string;
  readonly label: string | undefined;
  readonly kind: string;
  readonly url: string | undefined;
  readonly description: string | undefined;
  readonly owners: DbtOwners;
  readonly tags: readonly string[];
  readonly maturity: string | undefined;
  /** The full name of the asset of the catalog that the exposure means, where the project names it. */
  readonly assetFqn: string | undefined;
  readonly reads: readonly DbtRelation[];
};

export const readExposures = (artifacts: DbtArtifacts, relations: readonly DbtRelation[]): readonly DbtExposure[] => {
  const findRead = createRelationFinder(artifacts, relations);
  return memberEntries(artifacts.manifest, 'exposures').map(([uniqueId, exposure]) => ({
    uniqueId,
    name: memberText(exposure, 'name') ?? uniqueId,
    label: memberText(exposure, 'label'),
    kind: memberText(exposure, 'type') ?? 'dashboard',
    url: memberText(exposure, 'url'),
    description: memberText(exposure, 'description'),
    owners: readOwner(exposure),
    tags: tagsOf(exposure),
    maturity: memberText(exposure, 'maturity'),
    assetFqn: memberText(memberObject(metaOf(exposure), 'openmetadata'), 'fqn'),
    reads: findRead(exposure),
  }));
};
