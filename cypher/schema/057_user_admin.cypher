// Administrators are few among many.
CREATE INDEX User_isAdmin IF NOT EXISTS FOR (n:User) ON (n.isAdmin)
