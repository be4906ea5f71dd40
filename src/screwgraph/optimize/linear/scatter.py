"""Assembly of loops over the places of a matrix: sums into storage, and products with vectors."""

from __future__ import annotations

TEXT = """
define void @scatter(ptr noalias %out, ptr noalias %place, ptr noalias %value, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %each, label %end
each:
  %i = phi i64 [0, %entry], [%next, %each]
  %pi = getelementptr i32, ptr %place, i64 %i
  %p = load i32, ptr %pi, align 4
  %to = sext i32 %p to i64
  %vi = getelementptr double, ptr %value, i64 %i
  %v = load double, ptr %vi, align 8
  %oi = getelementptr double, ptr %out, i64 %to
  %o = load double, ptr %oi, align 8
  %s = fadd double %o, %v
  store double %s, ptr %oi, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %each, label %end
end:
  ret void
}

define void @multiply(ptr noalias %y, ptr noalias %x, ptr noalias %row, ptr noalias %col, ptr noalias %value, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %each, label %end
each:
  %i = phi i64 [0, %entry], [%next, %done]
  %ri = getelementptr i32, ptr %row, i64 %i
  %r = load i32, ptr %ri, align 4
  %rl = sext i32 %r to i64
  %ci = getelementptr i32, ptr %col, i64 %i
  %c = load i32, ptr %ci, align 4
  %cl = sext i32 %c to i64
  %vi = getelementptr double, ptr %value, i64 %i
  %v = load double, ptr %vi, align 8
  %xc = getelementptr double, ptr %x, i64 %cl
  %xcv = load double, ptr %xc, align 8
  %yr = getelementptr double, ptr %y, i64 %rl
  %yrv = load double, ptr %yr, align 8
  %a = fmul double %v, %xcv
  %as = fadd double %yrv, %a
  store double %as, ptr %yr, align 8
  %diagonal = icmp eq i32 %r, %c
  br i1 %diagonal, label %done, label %mirror
mirror:
  %xr = getelementptr double, ptr %x, i64 %rl
  %xrv = load double, ptr %xr, align 8
  %yc = getelementptr double, ptr %y, i64 %cl
  %ycv = load double, ptr %yc, align 8
  %b = fmul double %v, %xrv
  %bs = fadd double %ycv, %b
  store double %bs, ptr %yc, align 8
  br label %done
done:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %each, label %end
end:
  ret void
}
"""
"""`@scatter(out, place, value, n)`: out[place[i]] += value[i]. `@multiply(y, x, row, col, value, n)`: y += K x."""
