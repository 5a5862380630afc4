import { Link } from 'wouter';

export const MissingPage = () => (
  <div className="page stack">
    <h1>There is no such page</h1>
    <p>
      <Link href="/">Go to the start</Link>
    </p>
  </div>
);
