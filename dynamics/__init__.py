"""The physics of spacefmu: descriptions in, Systems out. No FMI, no C, no plotting in here."""
