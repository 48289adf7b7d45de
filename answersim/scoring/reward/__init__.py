"""Rewards for training: does a completion give the gold answer, without a silent zero?"""
