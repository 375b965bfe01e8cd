% Spread of scores in Octave: octave-cli spread.m N
% Single precision, chunks of 65536 numbers; Octave draws on one thread.
N = str2double(argv(){1});
randn("state", 1);
tic;
for d_k = 2 .^ (0:10)
  columns = 65536 / d_k;
  s = zeros(1, N, "single");
  for i = 1:columns:N
    last = min(i + columns - 1, N);
    size_ = [d_k, last - i + 1];
    s(i:last) = dot(randn(size_, "single"), randn(size_, "single"), 1);
  end
  printf("%d %.9g\n", d_k, var(double(s)));
end
printf("seconds %.9g\n", toc);
