// Answers the person of an e-mail address, and what they log in with.
MATCH (user:User {email: $email})
RETURN user.id AS id, user.name AS name, user.email AS email, user.isBot AS isBot, user.deleted AS deleted,
  user.password AS credential
