"""From the signal table to what an FMI tool reads: variables, modelDescription.xml, documentation, icon."""
