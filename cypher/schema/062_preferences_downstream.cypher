// Whether anybody wants to hear of what their own records are made from is asked with every look at new events.
CREATE INDEX NotificationPreferences_downstream IF NOT EXISTS FOR (n:NotificationPreferences) ON (n.wantsDownstream)
