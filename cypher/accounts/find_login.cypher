// Returns the person with an e-mail address and their login credentials.
MATCH (user:User {email: $email})
RETURN user.id AS id, user.name AS name, user.email AS email, user.isBot AS isBot, user.isAdmin AS isAdmin,
  user.deleted AS deleted, user.password AS credential
