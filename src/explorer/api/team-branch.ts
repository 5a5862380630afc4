/** A team with the teams below it. */
export type TeamBranch = {
  readonly id: string;
  readonly name: string;
  readonly displayName?: string;
  readonly fullyQualifiedName: string;
  readonly teamType?: string;
  readonly children?: readonly TeamBranch[];
};
