"""fiagen: specs of Ascend attention operators in, proven AscendC out."""
