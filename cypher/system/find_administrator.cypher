// Returns an administrator: the one of the preferred name, or otherwise the first by name.
MATCH (user:User {isAdmin: true})
WHERE NOT user.deleted AND NOT coalesce(user.isBot, false)
RETURN user.name AS name, user.email AS email
ORDER BY user.name <> $preferred, user.name
LIMIT 1
