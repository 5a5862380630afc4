import { Component, type ReactNode } from 'react';

type BoundaryProps = {
  readonly children: ReactNode;
  /** What is shown in place of what could not be drawn. */
  readonly fallback: (failure: unknown) => ReactNode;
};

type BoundaryState = { readonly failure: unknown; readonly hasFailed: boolean };

/** Keeps what cannot be drawn from taking the rest of the page with it. React asks for a class here. */
export class FaultBoundary extends Component<BoundaryProps, BoundaryState> {
  override readonly state: BoundaryState = { failure: undefined, hasFailed: false };

  static getDerivedStateFromError(failure: unknown): BoundaryState {
    return { failure, hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback(this.state.failure) : this.props.children;
  }
}
