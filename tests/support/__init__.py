"""What tests share; pytest puts the folder above on the path."""
