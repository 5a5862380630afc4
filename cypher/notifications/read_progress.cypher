// Reads the progress of the notification writer: all events up to a number, and one later event up to some user.
MATCH (progress:Progress {name: $name})
RETURN progress.step AS step, progress.seq AS seq, progress.begun AS begun, progress.toldUntil AS toldUntil
