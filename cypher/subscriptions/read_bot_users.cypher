// Returns which users are bots.
UNWIND $rows AS row
MATCH (user:User {fullyQualifiedName: row.fqn})
WHERE user.isBot = true
RETURN row.at AS at
