// Notes as whom older subscriptions deliver: as their owners and as whoever changed them last.
MATCH (n:EventSubscription)
WHERE n.deliversAs IS NULL
OPTIONAL MATCH (owner)-[:OWNS]->(n)
WHERE owner:User OR owner:Team
WITH n, [one IN collect(owner) | CASE WHEN one:User THEN 'user ' + one.id + ' ' + one.name ELSE 'team ' + one.id END] AS owners
OPTIONAL MATCH (person:User {fullyQualifiedName: n.updatedBy})
SET n.deliversAs = owners + ['user ' + coalesce(person.id, '') + ' ' + n.updatedBy]
