% One head of attention in Octave: octave-cli attention.m N D double|float
% 256 queries at a time, a column each; BLAS has the threads.
arguments = argv();
n = str2double(arguments{1});
d = str2double(arguments{2});
class_ = strrep(arguments{3}, "float", "single");
CHUNK = 256;
randn("state", 1);
Q = randn(d, n, class_);
K = randn(d, n, class_);
V = randn(d, n, class_);
K(:, 1:64)' * K(:, 1:64); % BLAS starts its threads
tic;
O = zeros(d, n, class_);
scaled = Q / sqrt(d);
for i = 1:CHUNK:n
  some = i:min(i + CHUNK - 1, n);
  S = K' * scaled(:, some);
  A = exp(S - max(S));
  O(:, some) = V * A ./ sum(A);
end
seconds = toc;
a = exp(double(K)' * double(Q(:, n)) / sqrt(d)); % the last query, in double
printf("seconds %.9g error %.3g\n", seconds,
       max(abs(O(:, n) - double(V) * a / sum(a))));
